import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, read, readList } from '../client.ts';

/** A page of the list of reports. */
export function reportsQuery(query: Query) {
  return queryOptions({
    queryKey: ['reports', query],
    queryFn: ({ signal }) => readList<'report'>('/reports', { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** One report. Events keep it up to date. */
export function reportQuery(id: string) {
  return queryOptions({
    queryKey: ['report', id, 'self'],
    queryFn: ({ signal }) => read<'report'>(`/reports/${id}`, { signal }),
  });
}

/** The report of the share link that is open. */
export function sharedReportQuery(secret: string) {
  return queryOptions({
    queryKey: ['share', secret],
    queryFn: ({ signal }) => read<'report'>('/share', { signal }),
  });
}

/** What to fix first in a report. */
export function fixesQuery(report: string) {
  return queryOptions({
    queryKey: ['report', report, 'issues', 'fixes'],
    queryFn: ({ signal }) => readList<'fix'>(`/reports/${report}/fixes`, { signal }),
  });
}
