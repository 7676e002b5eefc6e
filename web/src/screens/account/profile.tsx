import { useQueryClient } from '@tanstack/react-query';
import type { Who } from '../../api/auth-client.ts';
import { endGuestAccount } from '../../api/changes/guest-accounts.ts';
import type { Item } from '../../api/client.ts';
import { AskButton } from '../../forms/ask-dialog.tsx';
import { count, plural } from '../../lib/formats.ts';
import { countsCredits } from '../../live/destinations.ts';
import { Section } from '../../parts/section.tsx';
import styles from './profile.module.css';
import { ProfileForm } from './profile-form.tsx';

/** Name and email address of the account, and the limits of its plan. */
export function Profile({ account, own }: { readonly account: Item<'account'>; readonly own: Who['account'] }) {
  const { limits } = account;
  const hasPrices = countsCredits(account);
  return (
    <Section title="Profile">
      {own === null ? null : <ProfileForm account={own} />}
      <dl className={styles.facts}>
        <dt>{hasPrices ? 'Plan' : 'Limits'}</dt>
        <dd>
          {hasPrices ? `${account.plan}: up to ` : 'Up to '}
          {plural(limits.max_pages, 'page')} per report, {plural(limits.running_reports, 'report')} at a time,{' '}
          {count(limits.waiting_reports)} in the queue
        </dd>
        {account.guest_account === null ? null : <EndGuest guestAccount={account.guest_account} />}
      </dl>
    </Section>
  );
}

/** The host whose plan a guest uses, and how to leave it. */
function EndGuest({ guestAccount }: { readonly guestAccount: NonNullable<Item<'account'>['guest_account']> }) {
  const queries = useQueryClient();
  const { id, host, max_usage: max, current_usage: used } = guestAccount;
  const hostName = host.name === '' ? 'your host' : host.name;
  return (
    <>
      <dt>Paid by</dt>
      <dd className={styles.guest}>
        {hostName}: {count(used)} of {count(max)} credits used this month
        <AskButton
          label="Leave…"
          title={`Leave the plan of ${hostName}?`}
          action="Leave"
          run={async () => {
            await endGuestAccount(id);
            await queries.invalidateQueries();
          }}
        >
          <p>You keep your reports. Your own plan and credits will apply. To come back, you need a new invitation.</p>
        </AskButton>
      </dd>
    </>
  );
}
