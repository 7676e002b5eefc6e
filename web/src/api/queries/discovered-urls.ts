import type { Query } from '../client.ts';
import { listQuery } from './resource-queries.ts';

/** A page of the list of discovered URLs, with the number of URLs per outcome. */
export function discoveredUrlsQuery(report: string, query: Query) {
  const key = ['report', report, 'pages', 'discovered'] as const;
  return listQuery<'discovered_url'>(key, `/reports/${report}/discovered_urls`, query);
}

/** A page of the list of excluded URLs of a report: its exclusions and deleted pages. */
export function excludedUrlsQuery(report: string, query: Query) {
  const key = ['report', report, 'pages', 'excluded'] as const;
  return listQuery<'excluded_url'>(key, `/reports/${report}/excluded_urls`, query);
}
