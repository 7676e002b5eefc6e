import { useQuery } from '@tanstack/react-query';
import type { Query } from '../api/client.ts';
import { accountQuery, guestAccountsQuery } from '../api/queries/account.ts';
import { ChoiceFilter } from '../parts/filter-bar.tsx';

/** Filters by who made things. Only for accounts whose plan has guests. */
export function WhoseFilter({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const account = useQuery(accountQuery);
  const mayHaveGuests = (account.data?.limits.guest_accounts ?? 0) > 0;
  const guests = useQuery({ ...guestAccountsQuery({ 'page[size]': 100 }), enabled: mayHaveGuests });
  const accepted = (guests.data?.items ?? []).filter(({ guest }) => guest !== null);
  if (accepted.length === 0 && value === '') return null;
  return (
    <ChoiceFilter
      label="Whose"
      value={value}
      any="mine"
      choices={[
        ['all', 'everybody’s'],
        ['guests', 'my guests’'],
        ...accepted.map(({ id, guest }) => [id, guest?.name || guest?.email || id] as const),
      ]}
      onChange={onChange}
    />
  );
}

/** Returns the parameters for a value of `WhoseFilter`: who, or the id of a guest account. */
export function whoseQuery(value: string | undefined): Query {
  if (value === undefined) return {};
  return value === 'all' || value === 'guests' ? { created_by: value } : { created_by: 'guests', guest_token: value };
}
