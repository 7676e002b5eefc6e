import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, readList } from '../client.ts';

/** A page of the list of URLs that the spider found, with how many have each outcome. */
export function discoveredUrlsQuery(report: string, query: Query) {
  return queryOptions({
    queryKey: ['report', report, 'pages', 'discovered', query],
    queryFn: ({ signal }) => readList<'discovered_url'>(`/reports/${report}/discovered_urls`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** A page of the list of what a report leaves out: its exclusions and deleted pages. */
export function excludedUrlsQuery(report: string, query: Query) {
  return queryOptions({
    queryKey: ['report', report, 'pages', 'excluded', query],
    queryFn: ({ signal }) => readList<'excluded_url'>(`/reports/${report}/excluded_urls`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
