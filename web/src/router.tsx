import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
} from '@tanstack/react-router';
import { Frame, SharedFrame } from './frame/frame.tsx';
import { loadAccount, loadReport, loadSharedReport } from './frame/loaders.ts';
import { ReportScreens, SharedScreens } from './frame/report-context.tsx';
import { NotFound, ScreenError, ScreenLoading } from './frame/screen-states.tsx';
import { only, parseSearch, stringifySearch } from './lib/search.ts';

interface Context {
  readonly queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: NotFound });

/** Everything that requires an account. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Frame,
  loader: loadAccount,
});

const list = ['sort', 'page', 'size'] as const;

const overview = createRoute({
  getParentRoute: () => app,
  path: '/',
  validateSearch: only('url', 'tags', 'by', 'sort', 'page'),
  component: lazyRouteComponent(() => import('./screens/overview/screen.tsx'), 'OverviewScreen'),
});

const reports = createRoute({
  getParentRoute: () => app,
  path: '/reports',
  validateSearch: only('url', 'tags', 'tags_mode', 'status', 'by', 'schedule', 'site', ...list),
  component: lazyRouteComponent(() => import('./screens/reports/screen.tsx'), 'ReportsScreen'),
});

const newReport = createRoute({
  getParentRoute: () => app,
  path: '/reports/new',
  validateSearch: only('from', 'url'),
  component: lazyRouteComponent(() => import('./screens/new-report/screen.tsx'), 'NewReportScreen'),
});

const schedules = createRoute({
  getParentRoute: () => app,
  path: '/schedules',
  validateSearch: only('url', 'tags', 'active', ...list),
  component: lazyRouteComponent(() => import('./screens/schedules/screen.tsx'), 'SchedulesScreen'),
});

const newSchedule = createRoute({
  getParentRoute: () => app,
  path: '/schedules/new',
  validateSearch: only('from', 'every'),
  component: lazyRouteComponent(() => import('./screens/new-schedule/screen.tsx'), 'NewScheduleScreen'),
});

const schedule = createRoute({
  getParentRoute: () => app,
  path: '/schedules/$schedule',
  component: lazyRouteComponent(() => import('./screens/schedule/screen.tsx'), 'ScheduleScreen'),
});

const site = createRoute({
  getParentRoute: () => app,
  path: '/sites/$site',
  component: lazyRouteComponent(() => import('./screens/site/screen.tsx'), 'SiteScreen'),
});

const stats = createRoute({
  getParentRoute: () => app,
  path: '/stats',
  validateSearch: only('from', 'to', 'group', 'interval', 'by', 'show'),
  component: lazyRouteComponent(() => import('./screens/stats/screen.tsx'), 'StatsScreen'),
});

/** Lists, and what is started or planned in them. */
const lists = [overview, reports, newReport, schedules, newSchedule, schedule, site, stats];

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: only('to', 'error'),
  component: lazyRouteComponent(() => import('./screens/sign-in/screen.tsx'), 'SignInScreen'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./screens/sign-up/screen.tsx'), 'SignUpScreen'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$secret',
  component: lazyRouteComponent(() => import('./screens/invitation/screen.tsx'), 'InvitationScreen'),
});

const welcome = createRoute({
  getParentRoute: () => root,
  path: '/welcome/$secret',
  component: lazyRouteComponent(() => import('./screens/welcome/screen.tsx'), 'WelcomeScreen'),
});

/** Screens of a report, which know it by `useReport`. */
const report = createRoute({
  getParentRoute: () => app,
  id: 'report',
  component: ReportScreens,
  loader: loadReport,
});

const reportSummary = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report',
  validateSearch: only('where'),
  component: lazyRouteComponent(() => import('./screens/report-summary/screen.tsx'), 'ReportSummaryScreen'),
});

const ISSUES_SEARCH = ['text', 'tags', 'tags_mode', 'type', 'impact', 'change', 'muted'] as const;
const issuesScreen = lazyRouteComponent(() => import('./screens/report-issues/screen.tsx'), 'ReportIssuesScreen');
const issueScreen = lazyRouteComponent(() => import('./screens/report-issue/screen.tsx'), 'ReportIssueScreen');

const reportHtml = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/html',
  validateSearch: only(...ISSUES_SEARCH, ...list),
  component: issuesScreen,
});

const reportAccessibility = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/accessibility',
  validateSearch: only(...ISSUES_SEARCH, ...list),
  component: issuesScreen,
});

const reportLinks = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/links',
  validateSearch: only(...ISSUES_SEARCH, ...list),
  component: issuesScreen,
});

const ISSUE_SEARCH = [...ISSUES_SEARCH, 'sort', 'view', 'cluster', 'url', 'places', 'page', 'at'] as const;

const reportHtmlIssue = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/html/$issue',
  validateSearch: only(...ISSUE_SEARCH),
  component: issueScreen,
});

const reportAccessibilityIssue = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/accessibility/$issue',
  validateSearch: only(...ISSUE_SEARCH),
  component: issueScreen,
});

const reportLinksIssue = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/links/$issue',
  validateSearch: only(...ISSUE_SEARCH),
  component: issueScreen,
});

const webPageSearch = only('issue', 'place', 'view', 'type', 'muted', 'common', 'list', 'at');
const webPageScreen = lazyRouteComponent(() => import('./screens/web-page/screen.tsx'), 'WebPageScreen');

const webPage = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/pages/$page',
  validateSearch: webPageSearch,
  component: webPageScreen,
});

const reportChanges = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/changes',
  validateSearch: only('with', 'change', 'pages', 'page'),
  component: lazyRouteComponent(() => import('./screens/report-changes/screen.tsx'), 'ReportChangesScreen'),
});

const pagesSearch = only('url', 'html', 'a11y', 'link', 'recheck', 'muted', 'issue', ...list);
const pagesScreen = lazyRouteComponent(() => import('./screens/report-pages/screen.tsx'), 'ReportPagesScreen');

const reportPages = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/pages',
  validateSearch: pagesSearch,
  component: pagesScreen,
});

const reportUrls = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/urls',
  validateSearch: only('view', 'url', 'outcome', ...list),
  component: lazyRouteComponent(() => import('./screens/report-urls/screen.tsx'), 'ReportUrlsScreen'),
});

const reportMutings = createRoute({
  getParentRoute: () => report,
  path: '/reports/$report/mutings',
  validateSearch: only('page'),
  component: lazyRouteComponent(() => import('./screens/report-mutings/screen.tsx'), 'ReportMutingsScreen'),
});

const mutings = createRoute({
  getParentRoute: () => app,
  path: '/mutings',
  validateSearch: only('page'),
  component: lazyRouteComponent(() => import('./screens/mutings/screen.tsx'), 'MutingsScreen'),
});

const reportChildren = [
  reportChanges,
  reportPages,
  reportUrls,
  reportMutings,
  webPage,
  reportSummary,
  reportHtml,
  reportAccessibility,
  reportLinks,
  reportHtmlIssue,
  reportAccessibilityIssue,
  reportLinksIssue,
];

/** Everything for those who have the link of a shared report. It is a way of its own: no account, and nothing to change. */
const shareFrame = createRoute({ getParentRoute: () => root, id: 'share', component: SharedFrame });
const share = createRoute({
  getParentRoute: () => shareFrame,
  id: 'shared-report',
  component: SharedScreens,
  loader: loadSharedReport,
});

const sharedSummary = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret',
  component: lazyRouteComponent(() => import('./screens/shared-report/screen.tsx'), 'SharedReportScreen'),
});

const sharedPages = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/pages',
  validateSearch: pagesSearch,
  component: pagesScreen,
});

const sharedPage = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/pages/$page',
  validateSearch: webPageSearch,
  component: webPageScreen,
});

const sharedHtml = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/html',
  validateSearch: only(...ISSUES_SEARCH, ...list),
  component: issuesScreen,
});

const sharedAccessibility = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/accessibility',
  validateSearch: only(...ISSUES_SEARCH, ...list),
  component: issuesScreen,
});

const sharedLinks = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/links',
  validateSearch: only(...ISSUES_SEARCH, ...list),
  component: issuesScreen,
});

const sharedHtmlIssue = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/html/$issue',
  validateSearch: only(...ISSUE_SEARCH),
  component: issueScreen,
});

const sharedAccessibilityIssue = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/accessibility/$issue',
  validateSearch: only(...ISSUE_SEARCH),
  component: issueScreen,
});

const sharedLinksIssue = createRoute({
  getParentRoute: () => share,
  path: '/share/$secret/links/$issue',
  validateSearch: only(...ISSUE_SEARCH),
  component: issueScreen,
});

const shared = share.addChildren([
  sharedSummary,
  sharedPages,
  sharedPage,
  sharedHtml,
  sharedAccessibility,
  sharedLinks,
  sharedHtmlIssue,
  sharedAccessibilityIssue,
  sharedLinksIssue,
]);

const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: lazyRouteComponent(() => import('./screens/account/screen.tsx'), 'AccountScreen'),
});

const accountTokens = createRoute({
  getParentRoute: () => app,
  path: '/account/tokens',
  validateSearch: only('page'),
  component: lazyRouteComponent(() => import('./screens/account-tokens/screen.tsx'), 'AccountTokensScreen'),
});

const accountCredits = createRoute({
  getParentRoute: () => app,
  path: '/account/credits',
  validateSearch: only('reason', 'report', 'page'),
  component: lazyRouteComponent(() => import('./screens/account-credits/screen.tsx'), 'AccountCreditsScreen'),
});

const notifications = createRoute({
  getParentRoute: () => app,
  path: '/account/notifications',
  validateSearch: only('page'),
  component: lazyRouteComponent(() => import('./screens/notifications/screen.tsx'), 'NotificationsScreen'),
});

const newChannel = createRoute({
  getParentRoute: () => app,
  path: '/account/notifications/new',
  component: lazyRouteComponent(() => import('./screens/new-channel/screen.tsx'), 'NewChannelScreen'),
});

const channel = createRoute({
  getParentRoute: () => app,
  path: '/account/notifications/$channel',
  validateSearch: only('status', 'page'),
  component: lazyRouteComponent(() => import('./screens/channel/screen.tsx'), 'ChannelScreen'),
});

const devices = createRoute({
  getParentRoute: () => app,
  path: '/devices',
  validateSearch: only('name'),
  component: lazyRouteComponent(() => import('./screens/devices/screen.tsx'), 'DevicesScreen'),
});

const guests = createRoute({
  getParentRoute: () => app,
  path: '/guests',
  validateSearch: only('page'),
  component: lazyRouteComponent(() => import('./screens/guests/screen.tsx'), 'GuestsScreen'),
});

const people = [...[account, accountTokens, accountCredits, devices, guests], ...[notifications, newChannel, channel]];

const routes = root.addChildren([
  ...[signIn, signUp, welcome, invitation],
  shareFrame.addChildren([shared]),
  app.addChildren([...lists, ...people, mutings, report.addChildren(reportChildren)]),
]);

/** Creates the router. Values in the URL are plain text (`lib/search.ts`). */
export function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queries },
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPreload: 'intent',
    // Queries decide what is fresh.
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: ScreenLoading,
    defaultErrorComponent: ScreenError,
    defaultNotFoundComponent: NotFound,
  });
}
