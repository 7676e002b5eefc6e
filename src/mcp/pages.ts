import type { Item } from '../../packages/client/client.ts';
import { siteUrl } from './text.ts';
import { type ToolCall, ToolProblem } from './tool.ts';

/** Maximum number of pages to search for an exact URL. */
const lookedThroughMax = 100;

/**
 * Returns the page of a report with a URL, or with a path that only one page has. If there is none, returns the only mark of a
 * journey that has reached the URL.
 * @throws ToolProblem if there is none, with the nearest ones
 */
export async function pageAt({ api, signal }: ToolCall, reportId: string, url: string): Promise<Item<'web_page'>> {
  const wanted = normalized(url) ?? url;
  const query = { 'filter[url]': wanted, 'page[size]': lookedThroughMax, sort: 'url-asc' };
  const { items } = await api.readList<'web_page'>(`/reports/${reportId}/web_pages`, { query, signal });
  for (const name of ['url', 'reached_url'] as const) {
    const [page, ...others] = items.filter((item) => normalized(url, item.url) === item[name]);
    if (page !== undefined && others.length === 0) return page;
    if (page !== undefined) break;
  }
  const near = items.slice(0, 3).map((item) => siteUrl(item.url));
  const rest = near.length === 0 ? '' : ` Pages whose URL contains it: ${near.join(', ')}.`;
  throw new ToolProblem(`The report has no page with the URL ${siteUrl(url)}.${rest}`);
}

function normalized(url: string, base?: string): string | null {
  return URL.parse(url, base === undefined ? undefined : new URL(base).origin)?.href ?? null;
}
