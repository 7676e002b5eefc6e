import { viewportOf } from '../browser/devices.ts';
import { type SentAccess, withSignIn } from '../domain/access-refusal.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type FetchedPage, failedPage } from '../domain/fetched-page.ts';
import { createRedaction, type Redaction } from '../domain/redaction.ts';
import { NO_ACCESS, type SiteAccess } from '../domain/site-access.ts';
import { sessionEndsMax } from '../logins/limits.ts';
import type { ReportSessions } from '../logins/report-sessions.ts';
import { type Credentials, createCredentials, deviceUserAgent } from '../spider/credentials.ts';
import type { Expectation, FetchPage } from '../spider/fetch-page.ts';
import { createRetryingFetcher } from '../spider/fetch-page.ts';
import { createRateLimiter, limitedBy, type SharedLimiters } from '../spider/rate-limiter.ts';
import type { FetchRobots, Robots } from '../spider/robots.ts';
import { type CredentialStore, UnreadableAccess } from '../store/reports/credential-store.ts';
import type { Report } from '../store/schema.ts';
import type { HostUser } from './crawled-hosts.ts';
import type { RenderPage } from './rendering/render-page.ts';
import { type Browse, openSiteSession, type SiteSession } from './site-session.ts';

/**
 * One request for a URL, at the report's rate.
 * @param isRedirectTarget whether a redirect leads to the URL. If the session has ended, the URL is not requested again: the
 * redirect may have led to the login instead of the page
 */
export type Fetch = (url: string, expectation?: Expectation, isRedirectTarget?: boolean) => Promise<FetchedPage>;

/** Access to a report's site: at the report's rate, with its credentials. */
export interface Site {
  readonly fetch: Fetch;
  /** Returns the credentials sent to a URL. */
  readonly sentTo: (url: string) => SentAccess | null;
  /** Masks the credentials in text of the site; null if there are no credentials. */
  readonly redaction: Redaction | null;
  readonly robots: RobotsGate;
  readonly renderPage: RenderPage;
  /** Uses a page in the browser with the credentials. */
  readonly browse: Browse;
  /** The credentials, with the secrets of journeys. */
  readonly access: SiteAccess;
  /** The session of the report's login; null without one. */
  readonly session: Pick<SiteSession, 'number' | 'lookAgain'> | null;
  /** Call when it is known where the starting URL leads. */
  onSite(url: string): void;
  /** Stores the session of the login as it is now. */
  saveSession(): Promise<void>;
  /** Why nothing may be requested from the site. */
  readonly closedBecause?: Failure;
}

export interface OpenSiteParts {
  readonly credentialStore: CredentialStore;
  readonly sessions: ReportSessions;
  readonly fetchPage: FetchPage;
  readonly fetchRobots: FetchRobots;
  readonly renderPage: RenderPage;
  readonly limiters: SharedLimiters;
  readonly report: Report;
  readonly hostUser: HostUser;
  /** How the service names itself to sites. If the report has a device, this follows the device's own user agent. */
  readonly userAgent: string;
}

/** If the credentials cannot be decrypted, nothing is requested: without them, the site may be a different one. */
export async function openSite(parts: OpenSiteParts, claim: CrawlClaim, signal: AbortSignal): Promise<Site> {
  const { credentialStore, fetchPage, fetchRobots, renderPage, report, hostUser, limiters, userAgent } = parts;
  let access: SiteAccess;
  try {
    access = credentialStore.open(report.site_access, `report ${report.id}`);
  } catch (error) {
    if (!(error instanceof UnreadableAccess)) throw error;
    return closedSite(error.failure, renderPage);
  }
  // The checks of a report with an unknown device fail; it is crawled with the default one.
  const viewport = viewportOf(report.device_id, report.device_rotated) ?? DEFAULT_VIEWPORT;
  const ownAgent = deviceUserAgent(viewport, userAgent);
  const session = await signIn(parts, { access, userAgent: ownAgent, signal });
  if (session !== null && 'failure' in session) return closedSite(session.failure, renderPage);
  const { starting_url: startingUrl, site_url: siteUrl } = report;
  const unsigned = createCredentials(access, { startingUrl, siteUrl, userAgent: ownAgent });
  const credentials = (): Credentials => session?.credentials() ?? unsigned;
  // An earlier run of this crawl may have sent requests in the last second.
  const own = createRateLimiter({ requestsPerSecond: report.rate_limit, resumed: !claim.isFirst });
  // Shared with the link checks of the report.
  const shared = {
    acquire: (ends: AbortSignal | undefined) => limiters.forReport(report.id, report.rate_limit).acquire(ends),
  };
  const limiter = limitedBy(own, shared, hostUser);
  const retryingFetch = createRetryingFetcher(fetchPage, limiter);
  const fetch = (url: string, expectation: Expectation | undefined, own: Credentials) =>
    retryingFetch(url, { ...expectation, signal, credentials: own });
  const render: RenderPage = (document, options) =>
    renderPage(document, { signIn: credentials().signIn(), ...options, viewport });
  const sentTo = (url: string): SentAccess | null => credentials().sentTo(url);
  const obeys = report.respect_robots_txt;
  return {
    async fetch(url, expectation, isRedirectTarget = false) {
      const request = (own: Credentials): Promise<FetchedPage> => fetch(url, expectation, own);
      const timesMax = isRedirectTarget ? 1 : sessionEndsMax;
      return withSignIn(await (session?.fetch(url, request, timesMax) ?? request(unsigned)), sentTo(url));
    },
    sentTo,
    redaction: session?.redaction ?? createRedaction(access),
    robots: obeys ? createRobotsGate(fetchRobots, { limiter, signal }, credentials) : OPEN_GATE,
    renderPage: session?.render(render) ?? render,
    browse: session?.browse ?? ((use) => use(unsigned.signIn())),
    access,
    session,
    onSite: (url) => (session ?? unsigned).moveTo(url),
    saveSession: async () => session?.save(),
  };
}

/** Returns the session of the report's login; null without a login. */
async function signIn(
  { sessions, report }: OpenSiteParts,
  {
    access,
    ...options
  }: { readonly access: SiteAccess; readonly userAgent: string | null; readonly signal: AbortSignal },
): Promise<Awaited<ReturnType<typeof openSiteSession>> | null> {
  const { login = null } = access;
  return login === null ? null : openSiteSession({ ...options, sessions, report, access: { ...access, login } });
}

function closedSite(closedBecause: Failure, renderPage: RenderPage): Site {
  const nothing = { sentTo: () => null, redaction: null, onSite: () => undefined, saveSession: async () => undefined };
  const closed = { browse: async () => ({ failure: closedBecause }), session: null, access: NO_ACCESS };
  return {
    ...{ ...nothing, ...closed },
    ...{ fetch: async () => failedPage(closedBecause), robots: OPEN_GATE, renderPage, closedBecause },
  };
}

/** Returns a fetch that obeys robots.txt: a URL that must not be requested fails with the reason. */
export function allowedBy(gate: RobotsGate, fetch: Fetch): Fetch {
  return async (url, ...options) => {
    const refusal = await gate.refusalOf(url);
    return refusal === null ? fetch(url, ...options) : failedPage(refusal);
  };
}

/**
 * Checks URLs against the robots.txt of their origins. Each file is fetched once in a crawl, before the first request to its
 * origin.
 */
export interface RobotsGate {
  /** Returns why a URL must not be requested; null if it may be. */
  refusalOf(url: string): Promise<Failure | null>;
  /** Returns the sitemaps that the robots.txt of a URL's origin names, and the URL of that file. */
  sitemapsFor(url: string): Promise<{ readonly robotsUrl: string; readonly sitemaps: readonly string[] }>;
}

/** Allows everything and fetches nothing: for reports that do not respect robots.txt. */
const OPEN_GATE: RobotsGate = {
  refusalOf: async () => null,
  sitemapsFor: async (url) => ({ robotsUrl: url, sitemaps: [] }),
};

/** Also slows the crawl down to the `Crawl-delay` of the files that it fetches. */
function createRobotsGate(
  fetchRobots: FetchRobots,
  options: Parameters<FetchRobots>[1],
  credentials: () => Credentials,
): RobotsGate {
  const { limiter } = options;
  const known = new Map<string, Promise<Robots>>();

  const robotsAt = (robotsUrl: string): Promise<Robots> =>
    known.getOrInsertComputed(robotsUrl, async () => {
      const robots = await fetchRobots(robotsUrl, { ...options, credentials: credentials() });
      limiter.spaceOut(robots.crawlDelayMs);
      return robots;
    });
  const robotsUrlOf = (url: string): string => new URL('/robots.txt', url).href;

  return {
    refusalOf: async (url) => (await robotsAt(robotsUrlOf(url))).refusalOf(url),
    async sitemapsFor(url) {
      const robotsUrl = robotsUrlOf(url);
      return { robotsUrl, sitemaps: (await robotsAt(robotsUrl)).sitemaps };
    },
  };
}
