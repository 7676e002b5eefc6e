import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { itemQuery } from './resource-queries.ts';

/** A part of the history of a site. */
export interface Period {
  /** A day, `first` or `previous`. */
  readonly since?: string | undefined;
  /** The last day; absent for the newest report. */
  readonly until?: string | undefined;
}

/** What was fixed on a site in a period. */
export function siteComparisonQuery(site: string, { since, until }: Period) {
  const period = { since, until };
  return queryOptions({
    ...itemQuery<'site_comparison'>(['sites', site, 'comparison', period], `/sites/${site}/comparison`, period),
    placeholderData: keepPreviousData,
  });
}

/** Returns the path of the comparison as a file. */
export function comparisonFile(site: string, { since, until }: Period, format: string): string {
  const query = new URLSearchParams({ format, ...(since && { since }), ...(until && { until }) });
  return `/sites/${site}/comparison/export?${query}`;
}
