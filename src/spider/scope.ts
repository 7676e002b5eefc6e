import { siteOf } from './url.ts';

export interface Scope {
  /** Whether a normalised URL belongs to the report's site. */
  contains(url: string): boolean;
}

/**
 * The site of a report: where the starting URL led to. `www.` with and without are one site only when one redirected
 * to the other, which the two URLs show.
 *
 * @param startingUrl the URL that the report was asked for
 * @param finalUrl the URL that answered after the redirects; the same one when there were none
 */
export function createScope({ startingUrl, finalUrl }: { startingUrl: string; finalUrl: string }): Scope {
  const site = siteOf(finalUrl);
  const asked = siteOf(startingUrl);
  const sites = new Set([site]);
  if (asked === `www.${site}` || site === `www.${asked}`) sites.add(asked);
  return { contains: (url) => sites.has(siteOf(url)) };
}
