import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, readList } from '../client.ts';

/** The comparison of a long report takes some seconds, and no event tells its end. */
const pollMs = 2_000;

/** What became of the issues of an earlier report, by kind of issue. */
export function issueChangesQuery(report: string, query: Query) {
  return queryOptions({
    queryKey: ['report', report, 'issues', 'changes', query],
    queryFn: ({ signal }) => readList<'issue_change'>(`/reports/${report}/changes`, { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.meta.is_current === false ? pollMs : false),
  });
}

/** The pages that broke, recovered, came or went since an earlier report. */
export function pageChangesQuery(report: string, query: Query) {
  return queryOptions({
    queryKey: ['report', report, 'issues', 'changed-pages', query],
    queryFn: ({ signal }) => readList<'page_change'>(`/reports/${report}/changes/pages`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
