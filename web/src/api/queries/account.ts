import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** The account of the session. Refused with 401 without one. */
export const accountQuery = { ...itemQuery<'account'>(['account'], '/account'), staleTime: 60_000 };

/** A page of the account's API tokens. */
export function apiTokensQuery(query: Query) {
  return listQuery<'api_token'>(['api_tokens'], '/api_tokens', query);
}

/** A page of the ledger of the account's credits. */
export function creditEntriesQuery(query: Query) {
  return listQuery<'credit_entry'>(['credit_entries'], '/credit_entries', query);
}

/** A page of the list of guest accounts. Refused with 403 by plans without any. */
export function guestAccountsQuery(query: Query) {
  return listQuery<'guest_account'>(['guest_accounts'], '/guest_accounts', query);
}
