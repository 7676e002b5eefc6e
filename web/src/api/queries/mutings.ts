import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, read, readList } from '../client.ts';

/** How much a muting silences is counted in the background, and no event tells the end. */
const pollMs = 5_000;

/** A page of the mutings of the account. */
export function mutingsQuery(query: Query) {
  return queryOptions({
    queryKey: ['mutings', query],
    queryFn: ({ signal }) => readList<'muting'>('/mutings', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  });
}

/** A page of the mutings that silence something in a report. */
export function reportMutingsQuery(report: string, query: Query) {
  return queryOptions({
    queryKey: ['report', report, 'issues', 'mutings', query],
    queryFn: ({ signal }) => readList<'muting'>(`/reports/${report}/mutings`, { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** What a muting with these texts would silence in the latest reports. */
export function mutingPreviewQuery(texts: { readonly url_match: string; readonly message: string }) {
  return queryOptions({
    queryKey: ['muting-preview', texts],
    queryFn: ({ signal }) => read<'muting_preview'>('/mutings/preview', { query: texts, signal }),
    placeholderData: keepPreviousData,
  });
}
