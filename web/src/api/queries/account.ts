import type { Query } from '../client.ts';
import { itemQuery, listQuery } from './resource-queries.ts';

/** The account of the session. Fails with 401 without a session. */
export const accountQuery = { ...itemQuery<'account'>(['account'], '/account'), staleTime: 60_000 };

/** A page of the account's API tokens. */
export function apiTokensQuery(query: Query) {
  return listQuery<'api_token'>(['api_tokens'], '/api_tokens', query);
}

/** A page of the ledger of the account's credits. */
export function creditEntriesQuery(query: Query) {
  return listQuery<'credit_entry'>(['credit_entries'], '/credit_entries', query);
}

/** A page of the list of guest accounts. Fails with 403 if the plan has no guests. */
export function guestAccountsQuery(query: Query) {
  return listQuery<'guest_account'>(['guest_accounts'], '/guest_accounts', query);
}
