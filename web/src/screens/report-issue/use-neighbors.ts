import { useQuery } from '@tanstack/react-query';
import { commonIssuesQuery } from '../../api/queries/common-issues.ts';
import { COMMON_ISSUE_SEARCH, commonIssueQueryOf } from '../../frame/list-queries.ts';
import type { Neighbors } from '../../frame/neighbors.tsx';
import { useReport } from '../../frame/report-context.tsx';
import { useSearchState } from '../../frame/use-search-state.ts';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { pageAround, positionOf } from '../../lib/position.ts';
import { pageNumber, type Search } from '../../lib/search.ts';

/**
 * Reads the list that a kind of issue was opened from: its filters and the position are in the URL. Without a position, only the
 * first of the list have neighbors.
 */
export function useNeighbors(kind: Kind, id: string): Neighbors & { readonly isLoading: boolean } {
  const { report, base } = useReport();
  const { search } = useSearchState();
  const around = pageAround(pageNumber(search['at']));
  const list = useQuery(commonIssuesQuery(report.id, kind, { ...commonIssueQueryOf(search, kind), ...around }));
  return {
    noun: 'kind of issue',
    position: list.data === undefined ? null : positionOf(list.data, around, id),
    isLoading: list.isLoading,
    linkTo: (issue, at) => ({
      to: `${base}/${KINDS[kind].path}/${issue}`,
      search: { ...filtersOf(search), at: String(at) },
    }),
  };
}

/** Returns what the URL says about the list, without what it says about the issue. */
export function filtersOf(search: Search): Search {
  return Object.fromEntries(COMMON_ISSUE_SEARCH.map((name) => [name, search[name]]));
}
