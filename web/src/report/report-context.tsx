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

/** The report that a screen shows. */
export interface OpenReport {
  readonly report: Item<'report'>;
  /** The base path of its screens: `/reports/ID`, or `/share/SECRET` for readers with the share link. */
  readonly base: string;
  /** Whether it was opened with a share link, which is read-only. */
  readonly isShared: boolean;
  /** The site whose share link opened it. */
  readonly sharedSite?: SharedSite;
}

/** How a report is shown as a part of a shared site. */
interface SharedSite {
  readonly name: string;
  /** The path of its summary, which differs from `base` for the newest report. */
  readonly summary: string;
  readonly back: { readonly to: string; readonly title: string } | null;
}

export const ReportContext = createContext<OpenReport | null>(null);

/** Returns the report that the screen shows. */
export function useReport(): OpenReport {
  const open = useContext(ReportContext);
  if (open === null) throw new Error('This screen does not belong to a report.');
  return open;
}

/** The permissions of the reader of the open report. */
interface Reader {
  /** Undefined until loaded, and for readers with a share link, who have none. */
  readonly account: Item<'account'> | undefined;
  /** Whether the report belongs to the account or to its guest. Only then is the share link shown. */
  readonly mayChange: boolean;
  /** Whether the plan includes mutings. */
  readonly mayMute: boolean;
}

/** Returns the permissions of the reader of the open report. */
export function useReader(): Reader {
  const { report, isShared } = useReport();
  const account = useQuery({ ...accountQuery, enabled: !isShared }).data;
  return {
    account,
    mayChange: !isShared && (!report.shared || report.share_url !== undefined),
    mayMute: !isShared && account !== undefined && hasPro(account),
  };
}

/** The layout of all screens below `/reports/$report`. */
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

/** The layout of all screens below `/share/$secret`, for readers with the share link. */
export function SharedScreens() {
  const { secret } = usePathParams(...SHARED);
  const shared = useQuery(sharedReportQuery(secret));
  const id = shared.data?.id ?? '';
  // Events keep this report up to date. Requests are refused once the report is no longer shared.
  const report = useQuery({
    ...reportQuery(id),
    enabled: id !== '',
    ...(shared.data !== undefined && { initialData: shared.data }),
  });
  if (isStatus(shared.error ?? report.error, 401)) return <ClosedLink what="report" />;
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

/** For a disabled or wrong share link: the service does not distinguish them. */
export function ClosedLink({ what }: { readonly what: string }) {
  return (
    <>
      <PageHead title={`This ${what} is no longer shared`} />
      <p>Ask the person who sent you the link. If you copied the link from a message, check that it is complete.</p>
    </>
  );
}
