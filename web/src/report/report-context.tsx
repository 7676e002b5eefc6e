import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import { isStatus } from 'sitewarden-client/errors';
import { hasPro } from 'sitewarden-client/report-defaults';
import type { Item } from '../api/client.ts';
import { accountQuery } from '../api/queries/account.ts';
import { reportQuery, sharedReportQuery } from '../api/queries/reports.ts';
import { REPORT, SHARED } from '../lib/searches.ts';
import { QueryView } from '../live/query-view.tsx';
import { usePathParams } from '../live/use-route.ts';
import { PageHead } from '../parts/page-head.tsx';

/** The report that a screen is about. */
export interface OpenReport {
  readonly report: Item<'report'>;
  /** The path of its screens: `/reports/ID`, or `/share/SECRET` for those who have the link. */
  readonly base: string;
  /** Whether it is open by a share link, which allows reading only. */
  readonly isShared: boolean;
}

const ReportContext = createContext<OpenReport | null>(null);

/** Returns the report that the screen is about. */
export function useReport(): OpenReport {
  const open = useContext(ReportContext);
  if (open === null) throw new Error('This screen is not part of a report.');
  return open;
}

/** What the reader of the open report may do. */
interface Reader {
  /** Undefined until it has been read, and for those with a share link, who have none. */
  readonly account: Item<'account'> | undefined;
  /** Whether the report is theirs or of a guest. The link of a shared report is shown only to them. */
  readonly mayChange: boolean;
  /** Whether their plan has mutings. */
  readonly mayMute: boolean;
}

/** Returns what the reader of the open report may do. */
export function useReader(): Reader {
  const { report, isShared } = useReport();
  const account = useQuery({ ...accountQuery, enabled: !isShared }).data;
  return {
    account,
    mayChange: !isShared && (!report.shared || report.share_url !== undefined),
    mayMute: !isShared && account !== undefined && hasPro(account),
  };
}

/** Everything below `/reports/$report`. */
export function ReportScreens() {
  const { report: id } = usePathParams(...REPORT);
  const report = useQuery(reportQuery(id));
  return (
    <QueryView query={report} isScreen>
      {(data) => (
        <ReportContext value={{ report: data, base: `/reports/${id}`, isShared: false }}>
          <Outlet />
        </ReportContext>
      )}
    </QueryView>
  );
}

/** Everything below `/share/$secret`, for those who have the link. */
export function SharedScreens() {
  const { secret } = usePathParams(...SHARED);
  const shared = useQuery(sharedReportQuery(secret));
  const id = shared.data?.id ?? '';
  // Events keep this one up to date, and it is refused once the report is not shared any more.
  const report = useQuery({
    ...reportQuery(id),
    enabled: id !== '',
    ...(shared.data !== undefined && { initialData: shared.data }),
  });
  if (isStatus(shared.error ?? report.error, 401)) return <ClosedLink />;
  return (
    <QueryView query={id === '' ? shared : report} isScreen>
      {(data) => (
        <ReportContext value={{ report: data, base: `/share/${secret}`, isShared: true }}>
          <Outlet />
        </ReportContext>
      )}
    </QueryView>
  );
}

/** A link that is closed or wrong: nobody can tell which. */
function ClosedLink() {
  return (
    <>
      <PageHead title="This report is no longer shared" />
      <p>Ask the person who sent you the link. If the address is incomplete, copy all of it from the message.</p>
    </>
  );
}
