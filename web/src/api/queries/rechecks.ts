import { queryOptions } from '@tanstack/react-query';
import { readList } from '../client.ts';

/** As many as the service keeps. */
const listSize = 50;

/** The re-checks of pages of a report, the newest first. */
export function rechecksQuery(report: string) {
  return queryOptions({
    // Read again when pages change.
    queryKey: ['report', report, 'pages', 'rechecks'],
    queryFn: ({ signal }) =>
      readList<'recheck'>(`/reports/${report}/rechecks`, { query: { 'page[size]': listSize }, signal }),
  });
}
