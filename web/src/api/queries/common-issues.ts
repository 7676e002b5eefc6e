import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { type Item, type Query, read, readList } from '../client.ts';

type CommonIssueType = 'common_html_issue' | 'common_a11y_issue' | 'common_link_issue';

/** A kind of issue of a report, of any kind of check. */
export type CommonIssue = Item<CommonIssueType>;

/** A page of the kinds of issue that a check found in a report. */
export function commonIssuesQuery(report: string, kind: Kind, query: Query) {
  const path = `/reports/${report}/${KINDS[kind].commonIssues}`;
  return queryOptions({
    queryKey: ['report', report, 'issues', kind, query],
    queryFn: ({ signal }) => readList<CommonIssueType>(path, { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** One kind of issue of a report. `muted` decides what is counted, as in the list. */
export function commonIssueQuery(report: string, kind: Kind, id: string, muted: string | undefined) {
  const path = `/reports/${report}/${KINDS[kind].commonIssues}/${id}`;
  return queryOptions({
    queryKey: ['report', report, 'issues', kind, id, muted],
    queryFn: ({ signal }) => read<CommonIssueType>(path, { query: { 'filter[muted]': muted }, signal }),
  });
}
