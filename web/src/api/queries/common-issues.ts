import { KINDS, type Kind } from '../../lib/kinds.ts';
import type { Item, Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

type CommonIssueType = 'common_html_issue' | 'common_a11y_issue' | 'common_link_issue';

/** An issue type of a report, of any kind of check. */
export type CommonIssue = Item<CommonIssueType>;

/** A page of the issue types that a check found in a report. */
export function commonIssuesQuery(report: string, kind: Kind, query: Query) {
  const path = `/reports/${report}/${KINDS[kind].commonIssues}`;
  return listQuery<CommonIssueType>(['report', report, 'issues', kind], path, query);
}

/** One issue type of a report. `muted` decides which occurrences are counted, as in the list. */
export function commonIssueQuery(report: string, kind: Kind, id: string, muted: string | undefined) {
  const path = `/reports/${report}/${KINDS[kind].commonIssues}/${id}`;
  return itemQuery<CommonIssueType>(['report', report, 'issues', kind, id, muted], path, { 'filter[muted]': muted });
}

/** Identifies an issue type of a report. */
export interface IssueOf {
  readonly report: string;
  readonly kind: Kind;
  readonly issue: string;
}

/** A page of the occurrences of an issue type, grouped by markup, the largest groups first. */
export function clustersQuery(of: IssueOf, query: Query) {
  return listQuery<'cluster'>(occurrencesKey(of, 'clusters'), occurrencesPath(of, 'clusters'), query);
}

/** A page of the occurrences of an issue type on all pages. */
export function occurrencesQuery(of: IssueOf, query: Query) {
  return listQuery<'occurrence'>(occurrencesKey(of, 'occurrences'), occurrencesPath(of, 'occurrences'), query);
}

type OccurrenceList = 'clusters' | 'occurrences';

function occurrencesKey({ report, kind, issue }: IssueOf, list: OccurrenceList) {
  return ['report', report, 'issues', kind, issue, list] as const;
}

function occurrencesPath({ report, kind, issue }: IssueOf, list: OccurrenceList): string {
  return `/reports/${report}/${KINDS[kind].commonIssues}/${issue}/${list}`;
}
