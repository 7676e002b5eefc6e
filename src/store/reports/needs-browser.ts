import { sql } from 'kysely';
import type { Report } from '../schema.ts';

/**
 * Whether the crawl of a report opens pages in the browser: to sign in, to find links or to perform journeys. Once it has ended,
 * pages that are checked again are not searched for links.
 */
export function needsBrowser(
  report: Pick<Report, 'signed_in' | 'dynamic_crawler' | 'crawl_failed' | 'journeys'>,
): boolean {
  const isSearched = report.dynamic_crawler && report.crawl_failed === null;
  return report.signed_in === 'login' || isSearched || report.journeys.length > 0;
}

/** The same as a condition on `reports r`. */
export const NEEDS_BROWSER = sql<boolean>`(r.signed_in IS NOT DISTINCT FROM 'login' OR r.dynamic_crawler AND r.crawl_failed IS NULL OR r.journeys <> '[]')`;
