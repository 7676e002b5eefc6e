import { siteDifferences } from '../../packages/client/site-differences.ts';
import { siteUrl } from './text.ts';
import type { ToolCall } from './tool.ts';

/**
 * Returns what distinguishes sites from others with the same starting URL, by id. Reads all sites that the filter of a list
 * matches: it matches either all sites with the same starting URL or none, but they may be on different pages of the list.
 * @param url part of the starting URLs; undefined for all sites
 */
export async function differencesOfSites(
  { api, signal }: ToolCall,
  url: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const query = { 'filter[url]': url, 'page[size]': 100 };
  return siteDifferences(await Array.fromAsync(api.readAll<'site'>('/sites', { query, signal })), siteUrl);
}
