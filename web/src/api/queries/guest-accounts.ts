import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Query, readList } from '../client.ts';

/** A page of the list of guest accounts. Refused with 403 by plans without any. */
export function guestAccountsQuery(query: Query) {
  return queryOptions({
    queryKey: ['guest_accounts', query],
    queryFn: ({ signal }) => readList<'guest_account'>('/guest_accounts', { query, signal }),
    placeholderData: keepPreviousData,
  });
}
