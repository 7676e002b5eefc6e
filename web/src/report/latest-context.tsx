import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isStatus } from 'sitewarden-client/errors';
import type { Item } from '../api/client.ts';
import { reportQuery } from '../api/queries/reports.ts';
import { sharedSiteQuery, sharedSitesQuery } from '../api/queries/shared-sites.ts';
import { LATEST_REPORT } from '../lib/searches.ts';
import { QueryView } from '../live/query-view.tsx';
import { usePathParams } from '../live/use-route.ts';
import { ClosedLink, ReportContext } from './report-context.tsx';
import { siteName } from './site-state.ts';

const pollMs = 5_000;

/** Returns the first page of the sites that the link opens. Requests are refused once it opens none. */
function useSharedSites(secret: string) {
  return useQuery(sharedSitesQuery(secret));
}

/** A report of a shared site, with the screens below it. */
export function SharedSiteReport({
  secret,
  site,
  reportId,
  children,
}: {
  readonly secret: string;
  readonly site: Item<'shared_site'>;
  readonly reportId: string;
  readonly children: ReactNode;
}) {
  const report = useQuery({
    ...reportQuery(reportId),
    // Polls while pages are checked again: events are about single reports, but this link opens several.
    refetchInterval: ({ state }) => (state.data?.status === 'checking' ? pollMs : false),
  });
  const sites = useSharedSites(secret);
  if (isStatus(report.error, 401)) return <ClosedLink what="site" />;
  const isOfTag = sites.data?.meta.tag != null;
  const home = isOfTag ? `/latest/${secret}/${site.id}` : `/latest/${secret}`;
  const base = `/latest/${secret}/${site.id}/${reportId}`;
  const isNewest = site.runs[0]?.report_id === reportId;
  const back = isNewest
    ? isOfTag
      ? { to: `/latest/${secret}`, title: 'All sites' }
      : null
    : { to: home, title: 'Newest report' };
  return (
    <QueryView query={report} isScreen>
      {(data) => (
        <ReportContext
          value={{
            report: data,
            base,
            isShared: true,
            sharedSite: { name: siteName(site), summary: isNewest ? home : base, back },
          }}
        >
          {children}
        </ReportContext>
      )}
    </QueryView>
  );
}

/** The layout of the screens of a report that the share link of its site opens. */
export function LatestReportScreens() {
  const { secret, site: id, report } = usePathParams(...LATEST_REPORT);
  const site = useQuery(sharedSiteQuery(secret, id));
  if (isStatus(site.error, 401)) return <ClosedLink what="site" />;
  return (
    <QueryView query={site} isScreen>
      {(data) => (
        <SharedSiteReport secret={secret} site={data} reportId={report}>
          <Outlet />
        </SharedSiteReport>
      )}
    </QueryView>
  );
}
