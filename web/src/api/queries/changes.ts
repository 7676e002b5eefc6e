import { queryOptions } from '@tanstack/react-query';
import type { Query } from '../client.ts';
import { listQuery } from './resource-queries.ts';

/** Comparing long reports takes seconds, and no event announces the result. */
const pollMs = 2_000;

/** The changes of issue types since an earlier report. */
export function issueChangesQuery(report: string, query: Query) {
  return queryOptions({
    ...listQuery<'issue_change'>(['report', report, 'issues', 'changes'], `/reports/${report}/changes`, query),
    refetchInterval: ({ state }) => (state.data?.meta.is_current === false ? pollMs : false),
  });
}

/** The pages that broke, recovered, appeared or disappeared since an earlier report. */
export function pageChangesQuery(report: string, query: Query) {
  const key = ['report', report, 'issues', 'changed-pages'] as const;
  return listQuery<'page_change'>(key, `/reports/${report}/changes/pages`, query);
}
