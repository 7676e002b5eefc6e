import type { SHOWN_OUTCOMES } from 'sitewarden-client/values';

/** The outcomes of URLs that the spider found. */
export type Outcome = (typeof SHOWN_OUTCOMES)[number];

/** Each outcome in words. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  page: 'checked as a page',
  failed: 'could not be fetched',
  redirected: 'redirects',
  duplicate: 'same page under another URL',
  not_html: 'not HTML',
  sitemap: 'sitemap',
  robots: 'disallowed by robots.txt',
  excluded: 'excluded by settings or to stay signed in',
  not_included: 'not included',
  off_site: 'on another site',
  too_deep: 'too many links away',
  not_listed: 'not in the sitemap',
  deleted: 'deleted from the report',
  waiting: 'not visited yet',
  over_max_pages: 'over the page limit',
  not_visited: 'not visited: the crawl ended early',
};

/** Returns the outcome of a URL in words. A URL is excluded for one of two reasons. */
export function outcomeOf({ outcome, detail_code: reason }: { outcome: Outcome; detail_code: string | null }): string {
  if (outcome !== 'excluded') return OUTCOME_WORDS[outcome];
  return reason === 'signs_out' ? 'not visited: it would end the session' : 'excluded';
}

/** Outcomes of pages of the site that the report does not cover. Redirects, other sites and other file types don't count. */
export const NOT_CHECKED = [
  'failed',
  'over_max_pages',
  'not_visited',
  'robots',
  'excluded',
  'not_included',
  'too_deep',
  'not_listed',
  'deleted',
] as const satisfies readonly Outcome[];
