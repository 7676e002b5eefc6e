import { keepPreviousData } from '@tanstack/react-query';
import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** How much a muting silences is counted in the background, and no event tells the end. */
const pollMs = 5_000;

/** A page of the mutings of the account. */
export function mutingsQuery(query: Query) {
  return { ...listQuery<'muting'>(['mutings'], '/mutings', query), refetchInterval: pollMs };
}

/** A page of the mutings that silence something in a report. */
export function reportMutingsQuery(report: string, query: Query) {
  return listQuery<'muting'>(['report', report, 'issues', 'mutings'], `/reports/${report}/mutings`, query);
}

/** What a muting with these texts would silence in the latest reports. */
export function mutingPreviewQuery(texts: { readonly url_match: string; readonly message: string }) {
  const query = itemQuery<'muting_preview'>(['muting-preview', texts], '/mutings/preview', texts);
  return { ...query, placeholderData: keepPreviousData };
}
