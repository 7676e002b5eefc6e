import { useLocation } from '@tanstack/react-router';
import { PageHead } from '../parts/page-head.tsx';
import { Tabs } from '../parts/tabs.tsx';

const TABS = [
  { to: '/account', title: 'Account' },
  { to: '/account/notifications', title: 'Notifications' },
  { to: '/account/tokens', title: 'API tokens' },
  { to: '/account/credits', title: 'Credits' },
] as const;

/** The head of the screens about the account, with the way to the others. */
export function AccountHead() {
  const current = useLocation().pathname.replace(/\/$/, '');
  return (
    <>
      <PageHead title={TABS.find(({ to }) => to === current)?.title ?? 'Account'} />
      <Tabs label="Parts of the account" tabs={TABS} current={current} />
    </>
  );
}
