import type { Who } from '../../api/auth-client.ts';
import type { Item } from '../../api/client.ts';
import { count, plural } from '../../lib/formats.ts';
import { Section } from '../../parts/section.tsx';
import { EndGuest } from './end-guest.tsx';
import styles from './profile.module.css';
import { ProfileForm } from './profile-form.tsx';

/** Who somebody is here, and what the plan allows. */
export function Profile({ account, own }: { readonly account: Item<'account'>; readonly own: Who['account'] }) {
  const { limits } = account;
  return (
    <Section title="Profile">
      {own === null ? null : <ProfileForm account={own} />}
      <dl className={styles.facts}>
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
