import type { Item } from '../../packages/client/client.ts';
import { siteUrl } from './text.ts';
import { type ToolCall, ToolProblem } from './tool.ts';

/** Pages looked through for one with an exact URL. */
const lookedThroughMax = 100;

/**
 * Returns the page of a report with a URL, or with a path that only one page has.
 * @throws ToolProblem if there is none, with the nearest ones
 */
export async function pageAt({ api, signal }: ToolCall, reportId: string, url: string): Promise<Item<'web_page'>> {
  const wanted = normalized(url) ?? url;
  const query = { 'filter[url]': wanted, 'page[size]': lookedThroughMax, sort: 'url-asc' };
  const { items } = await api.readList<'web_page'>(`/reports/${reportId}/web_pages`, { query, signal });
  const page = items.find((item) => item.url === wanted);
  if (page !== undefined) return page;
  const samePath = items.filter((item) => normalized(url, item.url) === item.url);
  if (samePath[0] !== undefined && samePath.length === 1) return samePath[0];
  const near = items.slice(0, 3).map((item) => siteUrl(item.url));
  const rest = near.length === 0 ? '' : ` Pages whose URL contains it: ${near.join(', ')}.`;
  throw new ToolProblem(`The report has no page with the URL ${siteUrl(url)}.${rest}`);
}

function normalized(url: string, base?: string): string | null {
  return URL.parse(url, base === undefined ? undefined : new URL(base).origin)?.href ?? null;
}
