import { useQuery } from '@tanstack/react-query';
import type { Query } from '../api/client.ts';
import { accountQuery, guestAccountsQuery } from '../api/queries/account.ts';
import { SearchChoice } from './search-filters.tsx';
import type { SearchState } from './use-search-state.ts';

/** Filters by owner, which is in the URL as `by`. Only for accounts whose plan has guests. */
export function WhoseFilter({ state }: { readonly state: SearchState<{ readonly by?: string | undefined }> }) {
  const account = useQuery(accountQuery);
  const mayHaveGuests = (account.data?.limits.guest_accounts ?? 0) > 0;
  const guests = useQuery({ ...guestAccountsQuery({ 'page[size]': 100 }), enabled: mayHaveGuests });
  const accepted = (guests.data?.items ?? []).filter(({ guest }) => guest !== null);
  if (accepted.length === 0 && state.search.by === undefined) return null;
  return (
    <SearchChoice
      state={state}
      label="Owner"
      name="by"
      any="me"
      choices={[
        ['all', 'everyone'],
        ['guests', 'my guests'],
        ...accepted.map(({ id, guest }) => [id, guest?.name || guest?.email || id] as const),
      ]}
    />
  );
}

/** Returns the API parameters for a value of `WhoseFilter`: which accounts, or the id of a guest account. */
export function whoseQuery(value: string | undefined): Query {
  if (value === undefined) return {};
  return value === 'all' || value === 'guests' ? { created_by: value } : { created_by: 'guests', guest_token: value };
}
