import type { CrawlClaim, DiscoveredUrl, FrontierEntry, KnownUrl, Membership, Visit } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { createFrontier, type FrontierOptions, type RecordedVisit } from '../spider/frontier.ts';
import {
  discoveredTextMaxBytes,
  discoveredUrlsMin,
  discoveredUrlsPerPageMax,
  fetchesInFlightMax,
  fullTextBytes,
  unvisitedTextMaxBytes,
  unvisitedUrlsPerPageMax,
} from '../spider/limits.ts';
import { type CrawlBudget, type Reservation, withGuarantee } from '../spider/memory-budget.ts';
import { createScope, type Scope } from '../spider/scope.ts';
import { createUrlSelection, type UrlSelection } from '../spider/url-selection.ts';
import type { Database } from '../store/database.ts';
import { type NewPage, saveCrawlProgress } from '../store/reports/crawl-progress.ts';
import type { Report } from '../store/schema.ts';
import { createRefusalWatch, errorAtStart, errorInRendering } from './crawl-error.ts';
import type { Site } from './open-site.ts';
import { redactProgress } from './redact-progress.ts';
import type { PaidRenderer } from './rendering/page-renderings.ts';
import { createVisitor, type Visitor } from './visit-url.ts';

/** A visit in progress. Visits are kept in the order in which the frontier returned their URLs. */
interface Pending {
  readonly entry: FrontierEntry;
  readonly visit: Promise<Visit>;
  /** Call when the results of all earlier visits are saved. */
  readonly onEarlierSaved: () => void;
  readonly budget: Reservation;
  ready: Visit | null;
}

interface FrontierParts
  extends Pick<Site, 'fetch' | 'sentTo' | 'redaction' | 'onSite' | 'robots' | 'session' | 'saveSession'> {
  readonly claim: CrawlClaim;
  readonly renderer: PaidRenderer | null;
  readonly refetch: () => Promise<void>;
  readonly budget: CrawlBudget;
  readonly signal: AbortSignal;
}

const TOO_MUCH_TEXT: Failure = { code: 'too_much_text', params: {} };

/**
 * Visits the URLs of the frontier until none is left, and saves the results. Stops if the report is deleted or another process
 * has its claim.
 */
export async function crawlFrontier(
  db: Database,
  report: Report,
  known: readonly KnownUrl[],
  parts: FrontierParts,
): Promise<void> {
  const first = known.length > 0 ? [] : firstUrls(report);
  const signOuts = new Set<string>();
  const { select, includes } = createUrlSelection(report, (url) => signOuts.has(url));
  let scope: Scope | null =
    report.site_url === null ? null : createScope({ startingUrl: report.starting_url, finalUrl: report.site_url });
  const membershipOf = (url: string): Membership => {
    return scope?.contains(url) ? select(url) : 'off_site';
  };
  const limits = frontierLimits(report);
  const frontier = createFrontier({ ...limits, membershipOf, includes }, known.length > 0 ? known : first);
  const listing = { deepCrawl: report.deep_crawl, listedUrlsMax: limits.discoveredUrlsMax };
  const visitor = createVisitor({ ...parts, ...listing, frontier, membershipOf, includes });
  const refusalIn = createRefusalWatch(report.crawl_error !== null, parts.sentTo);
  const pending: Pending[] = [];
  const fill = (): void => {
    // The response of the starting URL determines what the site is.
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
      // In the order of recording, so that the same responses always have the same result.
      addSignOuts(visit, signOuts);
      if (entry.position === 0) {
        start.siteUrl = visit.hops.at(-1) ?? entry.url;
        scope = createScope({ startingUrl: report.starting_url, finalUrl: start.siteUrl });
        parts.onSite(start.siteUrl);
        const error = errorAtStart(
          visit.canonical?.end ?? visit.end,
          report,
          { membershipOf, includes },
          parts.sentTo(start.siteUrl),
        );
        if (error !== null) start.crawlError = error;
      }
      const one = frontier.record(entry, visit);
      for (const { url } of one.changed) if (frontier.outcomeOf(url) !== 'waiting') visitor.forget(url);
      return one;
    });
    fill();
    const pages = newPages(recorded, numPagesBefore);
    // Called for all pages, even if another error is reported.
    const refusal = refusalIn(pages);
    start.crawlError ??= errorInRendering(pages) ?? refusal ?? (frontier.isFull() ? TOO_MUCH_TEXT : undefined);
    const changed = recorded.flatMap(({ changed: urls }) => urls);
    const notKept = recorded.reduce((sum, { notKept: urls }) => sum + urls, 0);
    const numRenderedForLinks = ready.filter((one) => isRenderedForLinks(one, includes)).length;
    const found = { pages, discovered: [...unsaved, ...changed], notKept, numRenderedForLinks };
    const progress = redactProgress({ ...found, ...start }, parts.redaction);
    // The checks of the pages, which can run once they are saved, need the cookies that came with them.
    await parts.saveSession();
    if (!(await saveCrawlProgress(db, parts.claim, progress))) return;
    for (const { budget } of ready) budget.release();
    unsaved = [];
    await parts.refetch();
  }
}

/** Adds the links of a page that say that they sign out. */
function addSignOuts({ end, canonical }: Visit, signOuts: Set<string>): void {
  const pages = [end, canonical?.end ?? null];
  for (const page of pages) if (page?.kind === 'document') for (const url of page.signOuts ?? []) signOuts.add(url);
}

function frontierLimits(report: Report): Omit<FrontierOptions, 'membershipOf' | 'includes'> {
  return {
    maxPages: report.max_pages,
    linkDepthMax: report.deep_crawl ? Number.POSITIVE_INFINITY : 0,
    discoveredUrlsMax: Math.max(discoveredUrlsMin, report.max_pages * discoveredUrlsPerPageMax),
    unvisitedUrlsMax: Math.max(discoveredUrlsMin, report.max_pages * unvisitedUrlsPerPageMax),
    discoveredTextMaxBytes,
    unvisitedTextMaxBytes,
    fullTextBytes,
    visitsInFlightMax: fetchesInFlightMax,
    preferCanonicalUrls: report.prefer_canonical_urls,
  };
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
  // Only the first visit in the order of recording is sure to end regardless of the other visits.
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
    // The error is handled where the visit is awaited. This prevents an unhandled rejection if the visit is no longer awaited.
    () => undefined,
  );
  return pending;
}

/** Removes the visits that have ended from the head of the queue: they must be recorded in order. */
function takeReady(pending: Pending[]): { entry: FrontierEntry; visit: Visit; budget: Reservation }[] {
  const ready: ReturnType<typeof takeReady> = [];
  for (let head = pending[0]; head !== undefined && head.ready !== null; head = pending[0]) {
    ready.push({ entry: head.entry, visit: head.ready, budget: head.budget });
    pending.shift();
  }
  return ready;
}

/**
 * Whether a visit has rendered a page that is not included. Like other duplicates, a page with another canonical URL is rendered
 * free of charge.
 */
function isRenderedForLinks(
  { entry, visit }: Pick<Pending, 'entry'> & { visit: Visit },
  includes: UrlSelection['includes'],
): boolean {
  const { end, canonical, hops } = visit;
  if (end.kind !== 'document' || end.rendering?.hasRun !== true || canonical !== null) return false;
  return !includes(hops.at(-1) ?? entry.url);
}

function newPages(recorded: readonly RecordedVisit[], numPagesBefore: number): NewPage[] {
  const pages = recorded.flatMap(({ page }) => page ?? []);
  return pages.map((page, index) => ({ ...page, turn: numPagesBefore + index + 1 }));
}
