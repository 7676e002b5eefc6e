import type { Item } from '../api/client.ts';
import { eventsFor } from '../lib/notifications.ts';

/** The screens in the main navigation. */
export const PLACES = [
  { to: '/', title: 'Overview' },
  { to: '/reports', title: 'Reports' },
  { to: '/schedules', title: 'Schedules' },
  { to: '/mutings', title: 'Mutings' },
  { to: '/stats', title: 'Statistics' },
] as const;

/** Whether an account has limited credits. If not, nothing has a price, and only limits of guests are in credits. */
export function countsCredits({
  credits,
  guest_account: guest,
}: Pick<Item<'account'>, 'credits' | 'guest_account'>): boolean {
  return credits !== null || guest !== null;
}

/** Returns the events that a channel of an account can be notified about. */
export function accountEvents(account: Item<'account'> | undefined): ReturnType<typeof eventsFor> {
  return eventsFor({
    countsCredits: account !== undefined && countsCredits(account),
    hasGuests: account !== undefined && account.limits.guest_accounts > 0,
    isOperator: account?.operator === true,
  });
}

/** Returns the screens about an account, without the empty ones. */
export function accountPlaces(
  account: Item<'account'> | undefined,
): readonly { readonly to: AccountPath; readonly title: string }[] {
  const hidden = new Set<string>([
    ...(account === undefined || countsCredits(account) ? [] : ['/account/credits']),
    ...(account === undefined || account.limits.guest_accounts > 0 ? [] : ['/guests']),
    ...(account?.operator === true ? [] : ['/operate']),
  ]);
  return ACCOUNT_PLACES.filter(({ to }) => !hidden.has(to));
}

type AccountPath = (typeof ACCOUNT_PLACES)[number]['to'];

/** Screens about the account, in its menu. */
const ACCOUNT_PLACES = [
  { to: '/account', title: 'Account' },
  { to: '/account/notifications', title: 'Notifications' },
  { to: '/sharing', title: 'Share links' },
  { to: '/account/retention', title: 'Retention' },
  { to: '/account/tokens', title: 'API tokens' },
  { to: '/account/credits', title: 'Credits' },
  { to: '/devices', title: 'Devices' },
  { to: '/guests', title: 'Guests' },
  { to: '/operate', title: 'Installation' },
] as const;
