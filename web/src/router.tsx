import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router';
import { isId, parseSearch, stringifySearch } from './lib/search.ts';
import { type Path, searchOn } from './lib/searches.ts';
import { ReportScreens, SharedScreens } from './report/report-context.tsx';
import { Frame, SharedFrame } from './shell/frame.tsx';
import { loadScreen } from './shell/load-screen.ts';
import { loadAccount, loadReport, loadSharedReport } from './shell/loaders.ts';
import { NotFound, NotFoundInFrame, ScreenError, ScreenLoading } from './shell/screen-states.tsx';

interface Context {
  readonly queries: QueryClient;
}

type Screens = Readonly<Partial<Record<Path, RouteComponent>>>;

const lazy: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(loadScreen(load), name);

/** Screens that need no session. */
const ENTRY: Screens = {
  '/sign-in': lazy(() => import('./screens/sign-in/screen.tsx'), 'SignInScreen'),
  '/sign-up': lazy(() => import('./screens/sign-up/screen.tsx'), 'SignUpScreen'),
  '/invitations/$secret': lazy(() => import('./screens/invitation/screen.tsx'), 'InvitationScreen'),
  '/welcome/$secret': lazy(() => import('./screens/welcome/screen.tsx'), 'WelcomeScreen'),
};

/** Screens that require an account. */
const APP: Screens = {
  '/': lazy(() => import('./screens/overview/screen.tsx'), 'OverviewScreen'),
  '/reports': lazy(() => import('./screens/reports/screen.tsx'), 'ReportsScreen'),
  '/reports/new': lazy(() => import('./screens/new-report/screen.tsx'), 'NewReportScreen'),
  '/schedules': lazy(() => import('./screens/schedules/screen.tsx'), 'SchedulesScreen'),
  '/schedules/new': lazy(() => import('./screens/new-schedule/screen.tsx'), 'NewScheduleScreen'),
  '/schedules/$schedule': lazy(() => import('./screens/schedule/screen.tsx'), 'ScheduleScreen'),
  '/sites/$site': lazy(() => import('./screens/site/screen.tsx'), 'SiteScreen'),
  '/sites/new': lazy(() => import('./screens/new-site/screen.tsx'), 'NewSiteScreen'),
  '/sites/$site/settings': lazy(() => import('./screens/site-settings/screen.tsx'), 'SiteSettingsScreen'),
  '/sites/$site/fixed': lazy(() => import('./screens/site-fixed/screen.tsx'), 'SiteFixedScreen'),
  '/sites/$site/decisions': lazy(() => import('./screens/site-decisions/screen.tsx'), 'SiteDecisionsScreen'),
  '/fixed': lazy(() => import('./screens/tag-fixed/screen.tsx'), 'TagFixedScreen'),
  '/sharing': lazy(() => import('./screens/sharing/screen.tsx'), 'SharingScreen'),
  '/stats': lazy(() => import('./screens/stats/screen.tsx'), 'StatsScreen'),
  '/mutings': lazy(() => import('./screens/mutings/screen.tsx'), 'MutingsScreen'),
  '/account': lazy(() => import('./screens/account/screen.tsx'), 'AccountScreen'),
  '/account/retention': lazy(() => import('./screens/retention/screen.tsx'), 'RetentionScreen'),
  '/account/tokens': lazy(() => import('./screens/account-tokens/screen.tsx'), 'AccountTokensScreen'),
  '/account/credits': lazy(() => import('./screens/account-credits/screen.tsx'), 'AccountCreditsScreen'),
  '/account/notifications': lazy(() => import('./screens/notifications/screen.tsx'), 'NotificationsScreen'),
  '/account/notifications/new': lazy(() => import('./screens/new-channel/screen.tsx'), 'NewChannelScreen'),
  '/account/notifications/$channel': lazy(() => import('./screens/channel/screen.tsx'), 'ChannelScreen'),
  '/operate': lazy(() => import('./screens/operate/screen.tsx'), 'OperateScreen'),
  '/operate/accounts': lazy(() => import('./screens/operate-accounts/screen.tsx'), 'OperateAccountsScreen'),
  '/operate/audit': lazy(() => import('./screens/operate-audit/screen.tsx'), 'OperateAuditScreen'),
  '/devices': lazy(() => import('./screens/devices/screen.tsx'), 'DevicesScreen'),
  '/guests': lazy(() => import('./screens/guests/screen.tsx'), 'GuestsScreen'),
};

const pagesScreen = lazy(() => import('./screens/report-pages/screen.tsx'), 'ReportPagesScreen');
const pageScreen = lazy(() => import('./screens/web-page/screen.tsx'), 'WebPageScreen');
const issuesScreen = lazy(() => import('./screens/report-issues/screen.tsx'), 'ReportIssuesScreen');
const issueScreen = lazy(() => import('./screens/report-issue/screen.tsx'), 'ReportIssueScreen');

/** Screens of a report, which get it from `useReport`. */
const REPORT: Screens = {
  '/reports/$report': lazy(() => import('./screens/report-summary/screen.tsx'), 'ReportSummaryScreen'),
  '/reports/$report/changes': lazy(() => import('./screens/report-changes/screen.tsx'), 'ReportChangesScreen'),
  '/reports/$report/urls': lazy(() => import('./screens/report-urls/screen.tsx'), 'ReportUrlsScreen'),
  '/reports/$report/mutings': lazy(() => import('./screens/report-mutings/screen.tsx'), 'ReportMutingsScreen'),
  '/reports/$report/review': lazy(() => import('./screens/review/screen.tsx'), 'ReviewScreen'),
  '/reports/$report/pages': pagesScreen,
  '/reports/$report/pages/$page': pageScreen,
  '/reports/$report/html': issuesScreen,
  '/reports/$report/html/$issue': issueScreen,
  '/reports/$report/accessibility': issuesScreen,
  '/reports/$report/accessibility/$issue': issueScreen,
  '/reports/$report/links': issuesScreen,
  '/reports/$report/links/$issue': issueScreen,
};

/** Screens for readers with a share link. They need no account, and are read-only. */
const SHARED: Screens = {
  '/share/$secret': lazy(() => import('./screens/shared-report/screen.tsx'), 'SharedReportScreen'),
  '/share/$secret/pages': pagesScreen,
  '/share/$secret/pages/$page': pageScreen,
  '/share/$secret/html': issuesScreen,
  '/share/$secret/html/$issue': issueScreen,
  '/share/$secret/accessibility': issuesScreen,
  '/share/$secret/accessibility/$issue': issueScreen,
  '/share/$secret/links': issuesScreen,
  '/share/$secret/links/$issue': issueScreen,
};

/** Screens for readers with the share link of a site or a tag. */
const LATEST: Screens = {
  '/latest/$secret': lazy(() => import('./screens/latest/screen.tsx'), 'LatestScreen'),
  '/latest/$secret/$site': lazy(() => import('./screens/latest/site-screen.tsx'), 'LatestSiteScreen'),
};

/** Screens of a report of such a site. */
const LATEST_REPORT: Screens = {
  '/latest/$secret/$site/$report': lazy(() => import('./screens/shared-report/screen.tsx'), 'SharedReportScreen'),
  '/latest/$secret/$site/$report/pages': pagesScreen,
  '/latest/$secret/$site/$report/pages/$page': pageScreen,
  '/latest/$secret/$site/$report/html': issuesScreen,
  '/latest/$secret/$site/$report/html/$issue': issueScreen,
  '/latest/$secret/$site/$report/accessibility': issuesScreen,
  '/latest/$secret/$site/$report/accessibility/$issue': issueScreen,
  '/latest/$secret/$site/$report/links': issuesScreen,
  '/latest/$secret/$site/$report/links/$issue': issueScreen,
};

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound });
const app = createRoute({ getParentRoute: () => root, id: 'app', component: () => <Frame />, loader: loadAccount });
const report = createRoute({ getParentRoute: () => app, id: 'report', component: ReportScreens, loader: loadReport });
const shareFrame = createRoute({ getParentRoute: () => root, id: 'share', component: SharedFrame });
const share = createRoute({
  getParentRoute: () => shareFrame,
  id: 'shared-report',
  component: SharedScreens,
  loader: loadSharedReport,
});
const latestReport = createRoute({
  getParentRoute: () => shareFrame,
  id: 'latest-report',
  component: lazy(() => import('./report/latest-context.tsx'), 'LatestReportScreens'),
});

const routes = root.addChildren([
  ...routesOf(root, ENTRY),
  app.addChildren([...routesOf(app, APP), report.addChildren(routesOf(report, REPORT))]),
  shareFrame.addChildren([
    share.addChildren(routesOf(share, SHARED)),
    ...routesOf(shareFrame, LATEST),
    latestReport.addChildren(routesOf(latestReport, LATEST_REPORT)),
  ]),
]);

function routesOf(parent: AnyRoute, screens: Screens) {
  return Object.entries(screens).map(([path, component]) =>
    createRoute({
      getParentRoute: () => parent,
      path,
      component,
      notFoundComponent: parent === root ? NotFound : NotFoundInFrame,
      validateSearch: (search: Record<string, unknown>) => searchOn(path as Path, search),
      beforeLoad({ params }) {
        // Before any request: `a%2Fb` would change the path of the API request.
        if (!Object.values<string>(params).every(isId)) throw notFound();
      },
    }),
  );
}

/** Creates the router. Values in the URL are plain text (`lib/search.ts`). */
export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queries },
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPreload: 'intent',
    // Queries decide when data is fresh.
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: ScreenLoading,
    defaultErrorComponent: ScreenError,
  });
}
