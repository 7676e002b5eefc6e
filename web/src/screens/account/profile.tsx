import type { Item } from '../../api/client.ts';
import { count, plural } from '../../lib/formats.ts';
import { Section } from '../../parts/section.tsx';
import { EndGuest } from './end-guest.tsx';
import styles from './profile.module.css';

/** Who somebody is here, and what the plan allows. */
export function Profile({ account }: { readonly account: Item<'account'> }) {
  const { limits } = account;
  return (
    <Section title="Profile">
      <dl className={styles.facts}>
        <dt>Name</dt>
        <dd>{account.name === '' ? '–' : account.name}</dd>
        <dt>E-mail address</dt>
        <dd>{account.email}</dd>
        <dt>Plan</dt>
        <dd>
          {account.plan}: up to {plural(limits.max_pages, 'page')} a report, {plural(limits.running_reports, 'report')}{' '}
          at a time, {count(limits.waiting_reports)} waiting
        </dd>
        {account.guest_account === null ? null : <EndGuest guestAccount={account.guest_account} />}
      </dl>
    </Section>
  );
}
