import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, read, readList } from '../client.ts';

/** The account of the session. Refused with 401 without one. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => read<'account'>('/account', { signal }),
  staleTime: 60_000,
});

/** A page of the account's API tokens. */
export function apiTokensQuery(query: Query) {
  return queryOptions({
    queryKey: ['api_tokens', query],
    queryFn: ({ signal }) => readList<'api_token'>('/api_tokens', { query, signal }),
    placeholderData: keepPreviousData,
  });
}

/** A page of the ledger of the account's credits. */
export function creditEntriesQuery(query: Query) {
  return queryOptions({
    queryKey: ['credit_entries', query],
    queryFn: ({ signal }) => readList<'credit_entry'>('/credit_entries', { query, signal }),
    placeholderData: keepPreviousData,
  });
}
