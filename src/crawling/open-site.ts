import { viewportOf } from '../browser/devices.ts';
import type { SentAccess } from '../domain/access-refusal.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { type FetchedPage, failedPage } from '../domain/fetched-page.ts';
import { createRedaction, type Redaction } from '../domain/redaction.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { createCredentials, deviceUserAgent } from '../spider/credentials.ts';
import type { Expectation, FetchPage } from '../spider/fetch-page.ts';
import { createRetryingFetcher } from '../spider/fetch-page.ts';
import { createRateLimiter, limitedBy, type SharedLimiters } from '../spider/rate-limiter.ts';
import type { FetchRobots, Robots } from '../spider/robots.ts';
import { type CredentialStore, UnreadableAccess } from '../store/reports/credential-store.ts';
import type { Report } from '../store/schema.ts';
import type { HostUser } from './crawled-hosts.ts';
import type { RenderPage } from './rendering/render-page.ts';

/** One request for a URL, at the report's rate. */
export type Fetch = (url: string, expectation?: Expectation) => Promise<FetchedPage>;

/** Access to a report's site: at the report's rate, with its credentials. */
export interface Site {
  readonly fetch: Fetch;
  /** Returns the credentials sent to a URL. */
  readonly sentTo: (url: string) => SentAccess | null;
  /** Masks the credentials in texts of the site; null if there are none. */
  readonly redaction: Redaction | null;
  readonly robots: RobotsGate;
  readonly renderPage: RenderPage;
  /** Call when it is known where the starting URL leads. */
  onSite(url: string): void;
  /** Why nothing may be requested from the site. */
  readonly closedBecause?: Failure;
}

export interface OpenSiteParts {
  readonly credentialStore: CredentialStore;
  readonly fetchPage: FetchPage;
  readonly fetchRobots: FetchRobots;
  readonly renderPage: RenderPage;
  readonly limiters: SharedLimiters;
  readonly report: Report;
  readonly hostUser: HostUser;
  /** How the service names itself to sites. On a device, it follows the device's own user agent. */
  readonly userAgent: string;
}

/** If the credentials cannot be decrypted, nothing is requested: without them, the site may be another one. */
export function openSite(
  { credentialStore, fetchPage, fetchRobots, renderPage, report, hostUser, limiters, userAgent }: OpenSiteParts,
  claim: CrawlClaim,
  signal: AbortSignal,
): Site {
  let access: SiteAccess;
  try {
    access = credentialStore.open(report.site_access, `report ${report.id}`);
  } catch (error) {
    if (!(error instanceof UnreadableAccess)) throw error;
    const { failure: closedBecause } = error;
    const fetch: Fetch = async () => failedPage(closedBecause);
    const nothing = { sentTo: () => null, redaction: null, onSite: () => undefined };
    return { fetch, ...nothing, robots: OPEN_GATE, renderPage, closedBecause };
  }
  // The checks of a report with an unknown device fail; it is crawled with the default one.
  const viewport = viewportOf(report.device_id, report.device_rotated) ?? DEFAULT_VIEWPORT;
  const credentials = createCredentials(access, {
    startingUrl: report.starting_url,
    siteUrl: report.site_url,
    userAgent: deviceUserAgent(viewport, userAgent),
  });
  // An earlier run of this crawl may have sent requests in the last second.
  const own = createRateLimiter({ requestsPerSecond: report.rate_limit, resumed: !claim.isFirst });
  // Shared with the link checks of the report.
  const shared = {
    acquire: (ends: AbortSignal | undefined) => limiters.forReport(report.id, report.rate_limit).acquire(ends),
  };
  const limiter = limitedBy(own, shared, hostUser);
  const retryingFetch = createRetryingFetcher(fetchPage, limiter);
  return {
    fetch: (url, expectation) => retryingFetch(url, { ...expectation, signal, credentials }),
    sentTo: credentials.sentTo,
    redaction: createRedaction(access),
    robots: report.respect_robots_txt ? createRobotsGate(fetchRobots, { limiter, signal, credentials }) : OPEN_GATE,
    renderPage: (document, options) => renderPage(document, { ...options, viewport, signIn: credentials.signIn() }),
    onSite: credentials.moveTo,
  };
}

/** Returns a fetch that obeys robots.txt: a URL that must not be requested fails with the reason. */
export function allowedBy(gate: RobotsGate, fetch: Fetch): Fetch {
  return async (url, expectation) => {
    const refusal = await gate.refusalOf(url);
    return refusal === null ? fetch(url, expectation) : failedPage(refusal);
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
function createRobotsGate(fetchRobots: FetchRobots, options: Parameters<FetchRobots>[1]): RobotsGate {
  const { limiter } = options;
  const known = new Map<string, Promise<Robots>>();

  const robotsAt = (robotsUrl: string): Promise<Robots> =>
    known.getOrInsertComputed(robotsUrl, async () => {
      const robots = await fetchRobots(robotsUrl, options);
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
