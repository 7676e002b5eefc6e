import { useQuery } from '@tanstack/react-query';
import { accountQuery } from '../api/queries/account.ts';
import { accountPlaces } from '../live/destinations.ts';
import { useOpenPath } from '../live/use-route.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Tabs } from '../parts/tabs.tsx';

const HEADS = [
  { to: '/account', title: 'Account' },
  { to: '/account/notifications', title: 'Notifications' },
  { to: '/account/retention', title: 'Retention' },
  { to: '/account/tokens', title: 'API tokens' },
  { to: '/account/credits', title: 'Credits' },
] as const;

/** The head of the screens about the account, with tabs. */
export function AccountHead() {
  const current = useOpenPath();
  const account = useQuery(accountQuery);
  const shown = new Set<string>(accountPlaces(account.data).map(({ to }) => to));
  return (
    <>
      <PageHead title={HEADS.find(({ to }) => to === current)?.title ?? 'Account'} />
      <Tabs
        label="Account sections"
        tabs={HEADS.filter(({ to }) => shown.has(to) || to === current)}
        current={current}
      />
    </>
  );
}
