import { sql } from 'kysely';
import type { Report } from '../schema.ts';

/** Whether the crawl of a report opens pages in the browser: to sign in, to find links or to perform journeys. */
export function needsBrowser(report: Pick<Report, 'signed_in' | 'dynamic_crawler' | 'journeys'>): boolean {
  return report.signed_in === 'login' || report.dynamic_crawler || report.journeys.length > 0;
}

/** The same as a condition on `reports r`. */
export const NEEDS_BROWSER = sql<boolean>`(r.signed_in IS NOT DISTINCT FROM 'login' OR r.dynamic_crawler OR r.journeys <> '[]')`;
