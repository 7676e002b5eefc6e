import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { type Query, readList } from '../client.ts';

/** Which kind of issue of which report. */
export interface IssueOf {
  readonly report: string;
  readonly kind: Kind;
  readonly issue: string;
}

function pathOf({ report, kind, issue }: IssueOf): string {
  return `/reports/${report}/${KINDS[kind].commonIssues}/${issue}`;
}

/** A page of the places of a kind of issue, grouped by their markup, those with the most places first. */
export function clustersQuery(of: IssueOf, query: Query) {
  return queryOptions({
    queryKey: ['report', of.report, 'issues', of.kind, of.issue, 'clusters', query],
    queryFn: ({ signal }) => readList<'cluster'>(`${pathOf(of)}/clusters`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** A page of the places of a kind of issue on all pages. */
export function occurrencesQuery(of: IssueOf, query: Query) {
  return queryOptions({
    queryKey: ['report', of.report, 'issues', of.kind, of.issue, 'occurrences', query],
    queryFn: ({ signal }) => readList<'occurrence'>(`${pathOf(of)}/occurrences`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}
