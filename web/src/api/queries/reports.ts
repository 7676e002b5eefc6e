import { queryOptions } from '@tanstack/react-query';
import { type Query, readList } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** A page of the list of reports. */
export function reportsQuery(query: Query) {
  return listQuery<'report'>(['reports'], '/reports', query);
}

/** One report. Events keep it up to date. */
export function reportQuery(id: string) {
  return itemQuery<'report'>(['report', id, 'self'], `/reports/${id}`);
}

/** The report of the share link that is open. */
export function sharedReportQuery(secret: string) {
  return itemQuery<'report'>(['share', secret], '/share');
}

/** The fix plan of a report, which has up to 1,000 steps, and the number of causes that are not in it. */
export function fixesQuery(report: string) {
  return queryOptions({
    queryKey: ['report', report, 'issues', 'fixes'],
    async queryFn({ signal }) {
      const query = { 'page[size]': fixesAtATime };
      let list = await readList<'fix'>(`/reports/${report}/fixes`, { query, signal });
      const items = [...list.items];
      while (list.next !== null) {
        list = await readList<'fix'>(list.next, { signal });
        items.push(...list.items);
      }
      return { items, leftOut: list.meta.left_out, isCurrent: list.meta.is_current };
    },
    refetchInterval: ({ state }) => (state.data?.isCurrent === false ? planPollMs : false),
  });
}

/** Planning long reports takes seconds, and not all readers receive events. */
const planPollMs = 2_000;

/** The maximum size of a list page. */
const fixesAtATime = 100;

/** The number of re-checks that the service keeps. */
const rechecksMax = 50;

/** The re-checks of a report, newest first. */
export function rechecksQuery(report: string) {
  return queryOptions({
    // Fetched again when pages change.
    queryKey: ['report', report, 'pages', 'rechecks'],
    queryFn: ({ signal }) =>
      readList<'recheck'>(`/reports/${report}/rechecks`, { query: { 'page[size]': rechecksMax }, signal }),
  });
}
