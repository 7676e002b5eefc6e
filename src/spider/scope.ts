import { siteOf } from './url.ts';

export interface Scope {
  /** Whether a normalized URL belongs to the report's site. */
  contains(url: string): boolean;
}

/**
 * Returns the site of a report: where the starting URL leads. Hosts with and without `www.` are one site only if one redirects to
 * the other.
 *
 * @param startingUrl the report's starting URL
 * @param finalUrl the URL that responded after redirects; the starting URL if there were none
 */
export function createScope({ startingUrl, finalUrl }: { startingUrl: string; finalUrl: string }): Scope {
  const site = siteOf(finalUrl);
  const asked = siteOf(startingUrl);
  const sites = new Set([site]);
  if (asked === `www.${site}` || site === `www.${asked}`) sites.add(asked);
  return { contains: (url) => sites.has(siteOf(url)) };
}
