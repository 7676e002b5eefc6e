import { useOpenPath } from '../live/use-route.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Tabs } from '../parts/tabs.tsx';

const HEADS = [
  { to: '/operate', title: 'Installation' },
  { to: '/operate/accounts', title: 'Accounts' },
  { to: '/operate/audit', title: 'Audit log' },
] as const;

/** The head of the screens for operators, with tabs. */
export function OperateHead() {
  const current = useOpenPath();
  return (
    <>
      <PageHead title={HEADS.find(({ to }) => to === current)?.title ?? 'Installation'} />
      <Tabs label="Installation sections" tabs={HEADS} current={current} />
    </>
  );
}
