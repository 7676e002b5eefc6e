import { Link } from '@tanstack/react-router';
import type { Item } from '../api/client.ts';
import { count, plural } from '../lib/formats.ts';
import styles from './frame.module.css';

/** How many credits are left, with the way to what they were spent on. Nothing if they are unlimited. */
export function Credits({ account }: { readonly account: Item<'account'> }) {
  const line = creditsLine(account);
  if (line === null) return null;
  return (
    <Link to="/account/credits" className={`${styles.credits} ${styles.wide}`}>
      {line}
    </Link>
  );
}

/** Returns how many credits are left, or how many a guest has used; null if they are unlimited. */
export function creditsLine({ credits, guest_account: guest }: Item<'account'>): string | null {
  if (guest === null) return credits === null ? null : plural(credits, 'credit');
  const host = guest.host.name === '' ? 'a host’s' : `${guest.host.name}’s`;
  return `Under ${host} plan: ${count(guest.current_usage)} of ${plural(guest.max_usage, 'credit')}`;
}
