import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createGuestAccount } from '../../api/changes/guest-accounts.ts';
import type { Item } from '../../api/client.ts';
import { accountQuery, guestAccountsQuery } from '../../api/queries/account.ts';
import { useForm } from '../../forms/use-form.tsx';
import { count, plural } from '../../lib/formats.ts';
import { pageNumber } from '../../lib/search.ts';
import { useSearchState } from '../../lists/use-search-state.ts';
import { countsCredits } from '../../live/destinations.ts';
import { QueryView } from '../../live/query-view.tsx';
import { Button } from '../../parts/button.tsx';
import { ErrorSummary } from '../../parts/error-summary.tsx';
import { Field } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useToast } from '../../parts/toast.tsx';
import { GuestCard, LIMIT } from './guest-card.tsx';
import styles from './screen.module.css';

/** The guests of the account. */
export function GuestsScreen() {
  const account = useQuery(accountQuery);
  return (
    <>
      <PageHead title="Guests">
        {account.data !== undefined && countsCredits(account.data)
          ? 'People who use your plan and your credits, up to a limit that you set.'
          : 'People who check sites under your account, up to a limit that you set.'}
      </PageHead>
      <QueryView query={account}>
        {(data) => (data.limits.guest_accounts === 0 ? <NoGuests account={data} /> : <Guests account={data} />)}
      </QueryView>
    </>
  );
}

function NoGuests({ account: { plan, guest_account: own } }: { readonly account: Item<'account'> }) {
  return (
    <EmptyState
      title={own === null ? `The ${plan} plan does not include guests` : 'Your own plan does not include guests'}
    >
      <p>
        {own === null ? '' : 'You are a guest yourself, and cannot share what your host shares with you. '}
        The operator of this installation can change your plan.
      </p>
    </EmptyState>
  );
}

function Guests({ account }: { readonly account: Item<'account'> }) {
  const { search } = useSearchState('/guests');
  const hasPrices = countsCredits(account);
  const guests = useQuery(guestAccountsQuery({ 'page[number]': pageNumber(search.page), 'page[size]': 25 }));
  return (
    <QueryView query={guests}>
      {({ items, page, pages, total }) => (
        <>
          <Invite used={total} max={account.limits.guest_accounts} />
          {items.length === 0 ? (
            <EmptyState title="You have no guests">
              <p>
                Invite someone: they get a link, and their checks{' '}
                {hasPrices ? 'use your credits' : 'count toward the limit that you set'}.
              </p>
            </EmptyState>
          ) : (
            <ul className={styles.guests}>
              {items.map((guest) => (
                <GuestCard key={guest.id} guest={guest} countsCredits={hasPrices} />
              ))}
            </ul>
          )}
          <Pager page={page} pages={pages} total={total} />
        </>
      )}
    </QueryView>
  );
}

/** Creates an invitation, unless the account has the maximum number of guests. */
function Invite({ used, max }: { readonly used: number; readonly max: number }) {
  const queries = useQueryClient();
  const say = useToast();
  const form = useForm(async (fields) => {
    await createGuestAccount(Number(fields.get('max_usage')));
    await queries.invalidateQueries({ queryKey: ['guest_accounts'] });
    say('Invitation created. Copy the link and send it to your guest.');
  });
  if (used >= max) {
    return (
      <p className={styles.invite}>
        You have reached the limit of {plural(max, 'guest')}. Remove a guest to invite someone else.
      </p>
    );
  }
  return (
    <form onSubmit={form.onSubmit} noValidate>
      <ErrorSummary errors={form.errors} />
      <div className={styles.invite}>
        <Field {...LIMIT} name="max_usage" error={form.errorOf('max_usage')}>
          {(control) => <input type="number" min={1} step={1} defaultValue={500} {...control} />}
        </Field>
        <Button type="submit" look="main" isBusy={form.isBusy}>
          Invite a guest
        </Button>
        <span className="soft small">
          {count(used)} of {count(max)} guests
        </span>
      </div>
    </form>
  );
}
