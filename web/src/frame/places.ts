/** The screens to which the frame leads. */
export const PLACES = [
  { to: '/', title: 'Overview' },
  { to: '/reports', title: 'Reports' },
  { to: '/schedules', title: 'Schedules' },
  { to: '/mutings', title: 'Mutings' },
  { to: '/stats', title: 'Statistics' },
] as const;

/** Screens about the account, in its menu. Guests only where the plan has any. */
export const ACCOUNT_PLACES = [
  { to: '/account', title: 'Account' },
  { to: '/account/notifications', title: 'Notifications' },
  { to: '/account/tokens', title: 'API tokens' },
  { to: '/account/credits', title: 'Credits' },
  { to: '/devices', title: 'Devices' },
  { to: '/guests', title: 'Guests' },
] as const;
