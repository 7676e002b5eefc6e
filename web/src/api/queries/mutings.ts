import { keepPreviousData } from '@tanstack/react-query';
import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** Muted issues are counted in the background, and no event announces the result. */
const pollMs = 5_000;

/** A page of the mutings of the account. */
export function mutingsQuery(query: Query) {
  return { ...listQuery<'muting'>(['mutings'], '/mutings', query), refetchInterval: pollMs };
}

/** A page of the mutings that apply to issues of a report. */
export function reportMutingsQuery(report: string, query: Query) {
  return listQuery<'muting'>(['report', report, 'issues', 'mutings'], `/reports/${report}/mutings`, query);
}

/** What a muting matches. */
export interface MutingTexts extends Query {
  readonly url_match: string;
  readonly message: string;
  readonly selector?: string;
}

/** How many issues of the latest reports a muting with these texts would mute. */
export function mutingPreviewQuery(texts: MutingTexts) {
  const query = itemQuery<'muting_preview'>(['muting-preview', texts], '/mutings/preview', texts);
  return { ...query, placeholderData: keepPreviousData };
}
