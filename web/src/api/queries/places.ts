import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { KINDS, type Kind } from '../../lib/kinds.ts';
import { type Item, type Query, readList } from '../client.ts';
import { isStatus } from '../errors.ts';

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

/** The longest page of a list. */
const pageMax = 100;

/**
 * Reads all places of a kind of issue.
 * @param placesMax more than these are not read
 * @returns none if the issue is gone; null if it has more places than are read
 */
export async function readAllPlaces(of: IssueOf, placesMax: number): Promise<readonly Item<'occurrence'>[] | null> {
  const places: Item<'occurrence'>[] = [];
  for (let number = 1; ; number += 1) {
    const query = { 'page[number]': number, 'page[size]': pageMax };
    const list = await readList<'occurrence'>(`${pathOf(of)}/occurrences`, { query }).catch((error: unknown) => {
      if (isStatus(error, 404)) return null;
      throw error;
    });
    if (list === null) return [];
    if (list.total > placesMax) return null;
    places.push(...list.items);
    if (list.page >= list.pages) return places;
  }
}
