import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, readList } from '../client.ts';

/** A page of the list of web pages of a report. */
export function webPagesQuery(report: string, query: Query) {
  return queryOptions({
    queryKey: ['report', report, 'pages', query],
    queryFn: ({ signal }) => readList<'web_page'>(`/reports/${report}/web_pages`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
