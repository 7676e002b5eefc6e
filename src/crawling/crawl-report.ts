import { viewportOf } from '../browser/devices.ts';
import type { SentAccess } from '../domain/access-refusal.ts';
import { DEFAULT_VIEWPORT } from '../domain/check.ts';
import type { CrawlClaim, DiscoveredUrl, FrontierEntry, KnownUrl } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { failedPage } from '../domain/fetched-page.ts';
import { createRedaction, type Redaction } from '../domain/redaction.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import { createCredentials } from '../spider/credentials.ts';
import { createExclusionMatcher } from '../spider/exclusion-matcher.ts';
import type { FetchPage } from '../spider/fetch-page.ts';
import { createFrontier, type RecordedVisit } from '../spider/frontier.ts';
import {
  discoveredTextMaxBytes,
  discoveredUrlsMin,
  discoveredUrlsPerPageMax,
  fetchesInFlightMax,
  fullTextBytes,
  unvisitedTextMaxBytes,
  unvisitedUrlsPerPageMax,
} from '../spider/limits.ts';
import { type CrawlBudget, type MemoryBudget, type Reservation, withGuarantee } from '../spider/memory-budget.ts';
import { createRateLimiter, limitedBy, type SharedLimiters } from '../spider/rate-limiter.ts';
import { createRetryingFetcher } from '../spider/retrying-fetcher.ts';
import type { FetchRobots } from '../spider/robots.ts';
import { createScope, type Scope } from '../spider/scope.ts';
import type { Judgement, Visit } from '../spider/visit.ts';
import { type NewPage, saveCrawlProgress } from '../store/crawl-progress.ts';
import { type CredentialStore, UnreadableAccess } from '../store/credential-store.ts';
import type { Database } from '../store/database.ts';
import { knownUrls } from '../store/discovered-urls.ts';
import { endCrawl } from '../store/report-end.ts';
import { findReport } from '../store/reports.ts';
import type { Report } from '../store/schema.ts';
import { createRefusalWatch, errorAtStart } from './crawl-error.ts';
import type { HostedCrawl, HostUser } from './crawled-hosts.ts';
import { redactProgress } from './redact-progress.ts';
import { refetchPages } from './refetch-pages.ts';
import { createPaidRenderer, type PaidRenderer } from './rendering/page-renderings.ts';
import type { RenderPage } from './rendering/render-page.ts';
import { createRobotsGate, OPEN_GATE, type RobotsGate } from './robots-gate.ts';
import { createVisitor, type Fetch, type Visitor } from './visit-url.ts';

export interface CrawlParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly fetchPage: FetchPage;
  readonly fetchRobots: FetchRobots;
  readonly renderPage: RenderPage;
  readonly budget: MemoryBudget;
  readonly limiters: SharedLimiters;
  /** How we name ourselves to sites: on a device, after the device's own user agent. */
  readonly userAgent: string;
}

/** One visit under way, in the order in which the frontier gave it out. */
interface Pending {
  readonly entry: FrontierEntry;
  readonly visit: Promise<Visit>;
  /** To be called when what every earlier visit found is saved. */
  readonly onEarlierSaved: () => void;
  readonly budget: Reservation;
  ready: Visit | null;
}

/**
 * Walks a report's frontier to its end, and fetches again the pages that wait for it. Everything found is durable at
 * once: called again after a kill, it goes on where it was. Ends early when the report is deleted or taken over.
 * @throws what the database throws, HostElsewhere, and the signal's reason when aborted; the report can be taken up again then
 */
export async function crawlReport(parts: CrawlParts, claim: HostedCrawl, signal: AbortSignal): Promise<void> {
  // Requests under way end with the crawl, however it ends.
  const ending = new AbortController();
  const { db } = parts;
  const { hostUser } = claim;
  const report = await findReport(db, claim.reportId);
  if (report === undefined) return;
  try {
    const budget = parts.budget.forCrawl(report.id);
    const ends = AbortSignal.any([signal, ending.signal, hostUser.displaced]);
    await crawl({ ...parts, report, hostUser, budget }, claim, ends);
  } finally {
    ending.abort();
  }
}

/** What one crawl works with. */
interface ReportParts extends Omit<CrawlParts, 'budget'> {
  readonly report: Report;
  readonly hostUser: HostUser;
  readonly budget: CrawlBudget;
}

async function crawl(parts: ReportParts, claim: CrawlClaim, signal: AbortSignal): Promise<void> {
  const { db, report } = parts;
  const { fetch, sentTo, redaction, robots, renderPage, onSite, closedBecause } = openSite(parts, claim, signal);
  const refetch = (): Promise<void> =>
    refetchPages(db, claim, allowedBy(robots, fetch), signal, { budget: parts.budget, redaction });
  do {
    // Until then nobody has judged it; later there are only pages to be fetched again.
    if (closedBecause !== undefined) {
      // What waits stays waiting: none of it is a page that failed.
      await saveCrawlProgress(db, claim, { pages: [], discovered: [], crawlError: closedBecause });
    } else if (report.crawl_failed === null) {
      const known = await knownUrls(db, claim.reportId);
      const rendering = { waitFor: report.wait_for, signal };
      const renderer = report.dynamic_crawler ? await createPaidRenderer(db, renderPage, report.id, rendering) : null;
      await walkFrontier(db, report, known, {
        claim,
        fetch,
        sentTo,
        redaction,
        onSite,
        robots,
        renderer,
        refetch,
        budget: parts.budget,
        signal,
      });
    }
    await refetch();
  } while (!(await endCrawl(db, claim)));
}

/** How a report's site is asked: at the report's rate, and with what signs in. */
interface SiteParts {
  readonly fetch: Fetch;
  readonly sentTo: (url: string) => SentAccess | null;
  /** Takes what signs in out of what is told of the site; null where there is nothing to hide. */
  readonly redaction: Redaction | null;
  readonly robots: RobotsGate;
  readonly renderPage: RenderPage;
  /** To be called when it is known where the starting URL leads. */
  onSite(url: string): void;
  /** Why the site must not be asked at all. */
  readonly closedBecause?: Failure;
}

/** Where what signs in cannot be read, nothing is requested: the site would be another one for strangers. */
function openSite(
  { credentialStore, fetchPage, fetchRobots, renderPage, report, hostUser, limiters, userAgent }: ReportParts,
  claim: CrawlClaim,
  signal: AbortSignal,
): SiteParts {
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
  // A device that this version no longer knows fails the checks that would show it.
  const viewport = viewportOf(report.device_id, report.device_rotated) ?? DEFAULT_VIEWPORT;
  const credentials = createCredentials(access, {
    startingUrl: report.starting_url,
    siteUrl: report.site_url,
    userAgent: viewport.userAgent === null ? null : `${viewport.userAgent} ${userAgent}`,
  });
  // Requests of an earlier run of this crawl may be less than a second ago.
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

/** A fetch that asks the gate first. What must not be requested fails with the reason. */
function allowedBy(gate: RobotsGate, fetch: Fetch): Fetch {
  return async (url, expectation) => {
    const refusal = await gate.refusalOf(url);
    return refusal === null ? fetch(url, expectation) : failedPage(refusal);
  };
}

interface WalkParts {
  readonly claim: CrawlClaim;
  readonly fetch: Fetch;
  readonly sentTo: SiteParts['sentTo'];
  readonly redaction: Redaction | null;
  readonly onSite: SiteParts['onSite'];
  readonly robots: RobotsGate;
  readonly renderer: PaidRenderer | null;
  readonly refetch: () => Promise<void>;
  readonly budget: CrawlBudget;
  readonly signal: AbortSignal;
}

const TOO_MUCH_TEXT: Failure = { code: 'too_much_text', params: {} };

async function walkFrontier(db: Database, report: Report, known: readonly KnownUrl[], parts: WalkParts): Promise<void> {
  const first = known.length > 0 ? [] : firstUrls(report);
  const reasonToLeaveOut = createExclusionMatcher(report);
  let scope: Scope | null =
    report.site_url === null ? null : createScope({ startingUrl: report.starting_url, finalUrl: report.site_url });
  const judge = (url: string): Judgement => {
    if (scope === null || !scope.contains(url)) return 'off_site';
    return reasonToLeaveOut(url) === null ? 'inside' : 'excluded';
  };
  const discoveredUrlsMax = Math.max(discoveredUrlsMin, report.max_pages * discoveredUrlsPerPageMax);
  const frontier = createFrontier(
    {
      maxPages: report.max_pages,
      linkDepthMax: report.deep_crawl ? Number.POSITIVE_INFINITY : 0,
      discoveredUrlsMax,
      unvisitedUrlsMax: Math.max(discoveredUrlsMin, report.max_pages * unvisitedUrlsPerPageMax),
      discoveredTextMaxBytes,
      unvisitedTextMaxBytes,
      fullTextBytes,
      visitsInFlightMax: fetchesInFlightMax,
      preferCanonicalUrls: report.prefer_canonical_urls,
      judge,
    },
    known.length > 0 ? known : first,
  );
  const visitor = createVisitor({
    fetch: parts.fetch,
    sentTo: parts.sentTo,
    frontier,
    judge,
    deepCrawl: report.deep_crawl,
    listedUrlsMax: discoveredUrlsMax,
    robots: parts.robots,
    renderer: parts.renderer,
  });
  const refusalIn = createRefusalWatch(report.crawl_error !== null, parts.sentTo);
  const pending: Pending[] = [];
  const fill = (): void => {
    // Until the starting URL has answered, nobody knows what the site is.
    while (scope !== null || pending.length === 0) {
      const entry = frontier.next();
      if (entry === null) return;
      pending.push(begin(visitor, entry, parts.budget.reserve(parts.signal)));
    }
  };

  let unsaved = first;
  fill();
  while (pending.length > 0) {
    pending[0]?.onEarlierSaved();
    await pending[0]?.visit;
    parts.signal.throwIfAborted();
    const numPagesBefore = frontier.numPages();
    const start: { siteUrl?: string; crawlError?: Failure | undefined } = {};
    const ready = takeReady(pending);
    const recorded = ready.map(({ entry, visit }) => {
      if (entry.position === 0) {
        start.siteUrl = visit.hops.at(-1) ?? entry.url;
        scope = createScope({ startingUrl: report.starting_url, finalUrl: start.siteUrl });
        parts.onSite(start.siteUrl);
        const error = errorAtStart(visit.canonical?.end ?? visit.end, report, judge, parts.sentTo(start.siteUrl));
        if (error !== null) start.crawlError = error;
      }
      const one = frontier.record(entry, visit);
      for (const { url } of one.changed) if (frontier.outcomeOf(url) !== 'waiting') visitor.forget(url);
      return one;
    });
    fill();
    const pages = newPages(recorded, numPagesBefore);
    // It has to see all pages, whatever else there is to tell.
    const refusal = refusalIn(pages);
    start.crawlError ??= errorInRendering(pages) ?? refusal ?? (frontier.isFull() ? TOO_MUCH_TEXT : undefined);
    const changed = recorded.flatMap(({ changed: urls }) => urls);
    const notKept = recorded.reduce((sum, { notKept: urls }) => sum + urls, 0);
    const discovered = [...unsaved, ...changed];
    const progress = redactProgress({ pages, discovered, notKept, ...start }, parts.redaction);
    if (!(await saveCrawlProgress(db, parts.claim, progress))) return;
    for (const { budget } of ready) budget.release();
    unsaved = [];
    await parts.refetch();
  }
}

function firstUrls(report: Report): DiscoveredUrl[] {
  const urls = [...new Set([report.starting_url, ...report.initial_urls])];
  return urls.map((url, position) => ({
    position,
    url,
    linkedFrom: null,
    depth: 0,
    outcome: 'waiting',
    target: null,
    httpStatus: null,
    detail: null,
  }));
}

function begin(visitor: Visitor, entry: FrontierEntry, budget: Reservation): Pending {
  const { promise: earlierSaved, resolve: onEarlierSaved } = Promise.withResolvers<void>();
  // Only the first in the order of recording needs no other visit to come to its end.
  const visit = withGuarantee(
    budget,
    () => visitor.visit(entry, { depth: entry.depth, earlierSaved, budget }),
    earlierSaved,
  );
  const pending: Pending = { entry, visit, onEarlierSaved, budget, ready: null };
  pending.visit.then(
    (visit) => {
      pending.ready = visit;
    },
    // Whoever awaits the visit hears of it; this only keeps one that nobody awaits any more from ending the process.
    () => undefined,
  );
  return pending;
}

/** Takes the visits that have ended off the head of the queue: they must be recorded in order. */
function takeReady(pending: Pending[]): { entry: FrontierEntry; visit: Visit; budget: Reservation }[] {
  const ready: ReturnType<typeof takeReady> = [];
  for (let head = pending[0]; head !== undefined && head.ready !== null; head = pending[0]) {
    ready.push({ entry: head.entry, visit: head.ready, budget: head.budget });
    pending.shift();
  }
  return ready;
}

function newPages(recorded: readonly RecordedVisit[], numPagesBefore: number): NewPage[] {
  const pages = recorded.flatMap(({ page }) => page ?? []);
  return pages.map((page, index) => ({ ...page, turn: numPagesBefore + index + 1 }));
}

/** Why pages were not rendered, where it is no matter of single pages. */
function errorInRendering(pages: readonly NewPage[]): Failure | undefined {
  const ends = pages.map(({ content }) => (content.kind === 'document' ? content.rendering : undefined));
  return ends.find((rendering) => rendering?.ofReport !== undefined)?.ofReport;
}
