import { setTimeout as delay } from 'node:timers/promises';
import { isBrowserMissing } from '../browser/browser-fault.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import { type FetchedPage, failedPage, type WebPageContent } from '../domain/fetched-page.ts';
import type { Redaction } from '../domain/redaction.ts';
import { isTransient, waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { claimCrawl, isWaitingForBrowser, lostCrawls, releaseCrawl } from '../queue/claims.ts';
import { type RunMeans, startConsumer } from '../queue/consumer.ts';
import type { CrawlCaps } from '../queue/fair-shares.ts';
import type { Worker } from '../queue/worker.ts';
import type { KnownDocument } from '../spider/fetch-page.ts';
import { type CrawlBudget, createMemoryBudget, type MemoryBudget } from '../spider/memory-budget.ts';
import type { Database } from '../store/database.ts';
import { storedDocument } from '../store/pages/documents.ts';
import { nextPageToRefetch, type RefetchedPage, saveRefetchedPage } from '../store/rechecks/page-recheck.ts';
import { saveCrawlProgress } from '../store/reports/crawl-progress.ts';
import { knownUrls } from '../store/reports/discovered-urls.ts';
import { endCrawl, recordCrawlFailure } from '../store/reports/report-end.ts';
import { findReport, type ReportWithChecks } from '../store/reports/reports.ts';
import { announceWork } from '../store/work-topics.ts';
import { conditionalFetch } from './conditional-fetch.ts';
import { crawlFrontier } from './crawl-frontier.ts';
import { type CrawledHosts, HostElsewhere, type HostedCrawl } from './crawled-hosts.ts';
import {
  createMarkRefetcher,
  type JourneyParts,
  type RefetchMark,
  runJourneys,
} from './journeys/journeys-of-report.ts';
import { allowedBy, type Fetch, type OpenSiteParts, openSite } from './open-site.ts';
import { redactContent } from './redact-progress.ts';
import { createPaidRenderer } from './rendering/page-renderings.ts';

/** Reports that one process crawls at a time. They mostly wait for sites and rate limits. */
const CRAWLS_MAX = 128;
/** How long a crawl rests after an unexpected error before it is claimed again. */
const RETRY_DELAY_MS = 1_000;
/** The pause before a browser that did not start is started again. */
const BROWSER_RETRY_MS = 15_000;
/** A crawl that failed this often without progress, or whose process ended each time, is given up. */
export const CRAWL_FAILURES_MAX = 6;

export interface CrawlingParts extends CrawlParts {
  readonly worker: Worker;
  readonly hosts: CrawledHosts;
  readonly browser: Pick<BrowserPool, 'isReady' | 'isBroken'>;
  /** How many reports of an account are crawled at a time, by plan. */
  readonly planLimits: CrawlCaps['ofPlans'];
  readonly log: Logger;
}

/** Crawls the reports that wait for it, until stopped. */
export function startCrawling(parts: CrawlingParts): { stop(): Promise<void> } {
  const { db, worker, hosts, browser, log } = parts;
  const caps = { ofPlans: parts.planLimits, ofProcess: CRAWLS_MAX };

  const claim = async (_: number, __: readonly string[], onLocked: () => void): Promise<HostedCrawl[]> => {
    const hasBrowser = !browser.isBroken();
    // Before the claim, which would be lost if this failed.
    if (!hasBrowser && (await isWaitingForBrowser(db))) void retryBrowser();
    const claimed = await hosts.claim(() => claimCrawl(db, worker.id(), { caps, hasBrowser, onLocked }));
    return claimed === null ? [] : [claimed];
  };

  let retry: Promise<void> | null = null;
  /** Starts the browser again, after a pause if that fails, and looks for crawls that need it. */
  const retryBrowser = (): Promise<void> => {
    retry ??= browser.isReady().then(async (isReady) => {
      if (!isReady) await delay(BROWSER_RETRY_MS, undefined, { ref: false });
      retry = null;
      consumer.wake();
    });
    return retry;
  };

  /**
   * Releases a claim, and waits for the database as long as it takes: nothing else frees the claims of a live worker. Never
   * rejects.
   */
  const giveBack = (crawl: HostedCrawl, counts: boolean, signal: AbortSignal): Promise<void> => {
    const failure = 'Could not release a crawl';
    return waitOut(() => releaseCrawl(db, crawl, counts), { signal, log, failure }).catch((error: unknown) => {
      log.warn({ reason: messageOf(error), reportId: crawl.reportId }, failure);
    });
  };

  const run = async (crawl: HostedCrawl, { signal: stopping, lost }: RunMeans): Promise<void> => {
    const signal = AbortSignal.any([stopping, lost]);
    let counts = true;
    try {
      if (crawl.attempts > CRAWL_FAILURES_MAX)
        throw new Error('Its process ended each time before the crawl made progress');
      await crawlReport(parts, crawl, signal);
    } catch (error) {
      const waitsForBrowser = isBrowserMissing(error);
      counts = !signal.aborted && !isTransient(error) && !waitsForBrowser && !(error instanceof HostElsewhere);
      if (counts) await recover(crawl, error, stopping);
      else if (isTransient(error) && !signal.aborted) await waitFor('the database', crawl, error, stopping);
      else if (waitsForBrowser) await waitFor('the browser', crawl, error, stopping);
    }
    crawl.hostUser.leave();
    await giveBack(crawl, counts, stopping);
    // This crawl, or another crawl that waited for it, can be claimed now.
    consumer.wake();
  };

  /** Rests before the crawl is claimed again, longer each time, so that our errors do not flood the site with requests. */
  const recover = async (crawl: HostedCrawl, error: unknown, stopping: AbortSignal): Promise<void> => {
    const { reportId } = crawl;
    log.error({ err: error, reportId }, 'A crawl failed');
    const failure = 'Could not record that a crawl failed';
    const noted = waitOut(() => recordCrawlFailure(db, crawl, CRAWL_FAILURES_MAX), {
      signal: stopping,
      log,
      failure,
    });
    const failures = await noted.catch(() => 1);
    const restMs = RETRY_DELAY_MS * 2 ** (failures - 1);
    if (failures < CRAWL_FAILURES_MAX) await delay(restMs, undefined, { signal: stopping }).catch(() => undefined);
  };

  /**
   * A browser that cannot be started, and an unavailable or read-only database, do not count as failures of the crawl, which
   * continues from its saved state when it is claimed again.
   */
  const waitFor = async (
    part: string,
    { reportId }: HostedCrawl,
    error: unknown,
    stopping: AbortSignal,
  ): Promise<void> => {
    log.warn({ reason: messageOf(error), reportId }, `A crawl is waiting for ${part}`);
    await delay(RETRY_DELAY_MS, undefined, { signal: stopping }).catch(() => undefined);
  };

  const consumer = startConsumer(parts, {
    topic: 'crawl',
    concurrency: CRAWLS_MAX,
    batch: 1,
    ahead: 0,
    claim,
    lostOf: (crawls) => lostCrawls(db, crawls),
    run,
    giveBack: (crawl) => giveBack(crawl, false, AbortSignal.abort()),
  });
  return {
    async stop() {
      await consumer.stop();
      // Other processes can continue with the crawls that this one has given back.
      await announceWork(db, ['crawl']).catch(() => undefined);
    },
  };
}

interface CrawlParts extends Omit<OpenSiteParts, 'report' | 'hostUser'>, JourneyParts {
  readonly db: Database;
  readonly budget: MemoryBudget;
  /** Called when a crawl starts, before its first request. */
  readonly onCrawl?: (report: ReportWithChecks) => void;
}

/**
 * Crawls a report, and fetches the pages that wait for a re-check. Results are saved as they are found, so a crawl that was
 * killed continues from there. Ends early if the report is deleted or claimed by another process.
 * @throws database errors, HostElsewhere, AppError if the browser cannot be started, and the signal's reason when aborted; the
 * report can be claimed again afterwards
 */
async function crawlReport(
  parts: CrawlParts & Pick<CrawlingParts, 'log'>,
  claim: HostedCrawl,
  signal: AbortSignal,
): Promise<void> {
  // Requests in progress end with the crawl, regardless of how it ends.
  const ending = new AbortController();
  const { db } = parts;
  const { hostUser } = claim;
  const report = await findReport(db, claim.reportId);
  if (report === undefined) return;
  parts.log.info({ reportId: report.id, accountId: report.account_id, claims: claim.attempts }, 'Crawling a report');
  parts.onCrawl?.(report);
  try {
    const budget = parts.budget.forCrawl(report.id);
    const ends = AbortSignal.any([signal, ending.signal, hostUser.displaced]);
    await crawl({ ...parts, report, hostUser, budget }, claim, ends);
  } finally {
    ending.abort();
  }
}

/** What one crawl works with. */
interface ReportParts extends OpenSiteParts, JourneyParts {
  readonly db: Database;
  readonly log: Logger;
  readonly report: ReportWithChecks;
  readonly budget: CrawlBudget;
}

async function crawl(parts: ReportParts, claim: CrawlClaim, signal: AbortSignal): Promise<void> {
  const { db, report } = parts;
  const site = await openSite(parts, claim, signal);
  const { fetch, redaction, robots, saveSession, closedBecause } = site;
  const refetchMark = createMarkRefetcher(parts, site, claim, signal);
  const refetch = (): Promise<void> =>
    refetchPages(db, claim, allowedBy(robots, fetch), signal, {
      ...{ budget: parts.budget, redaction, saveSession, refetchMark },
    });
  const crawlPages = async (): Promise<void> => {
    const known = await knownUrls(db, claim.reportId);
    const rendering = { waitFor: report.wait_for, signal };
    const renderer = report.dynamic_crawler
      ? await createPaidRenderer(db, site.renderPage, report.id, rendering)
      : null;
    const ofSite = { ...site, fetch: conditionalFetch(db, report.id, fetch) };
    await crawlFrontier(db, report, known, { ...ofSite, claim, renderer, refetch, budget: parts.budget, signal });
  };
  do {
    if (closedBecause !== undefined) {
      // The waiting URLs stay waiting: they are not failed pages.
      await saveCrawlProgress(db, claim, { pages: [], discovered: [], crawlError: closedBecause });
    } else if (report.crawl_failed === null) {
      if (!report.only_journeys) await crawlPages();
      await runJourneys(parts, site, claim, signal);
    }
    await refetch();
  } while (!(await endCrawl(db, claim)));
}

/**
 * Fetches the pages of a report that wait for a re-check, one after the other, and makes their checks runnable. Ends early if
 * the report is gone or another process has claimed the crawl.
 * @param options.budget the memory budget for documents; default: a budget that is not shared
 * @param options.redaction masks the site credentials
 * @param options.saveSession stores the session of the login, which the site may change with each response
 * @param options.refetchMark performs the journey of a mark; default: its document is fetched, for reports without journeys
 */
export async function refetchPages(
  db: Database,
  claim: CrawlClaim,
  fetch: Fetch,
  signal: AbortSignal,
  {
    budget = createMemoryBudget().forCrawl(claim.reportId),
    redaction = null,
    saveSession = async () => undefined,
    refetchMark,
  }: {
    budget?: CrawlBudget;
    redaction?: Redaction | null;
    saveSession?: () => Promise<void>;
    refetchMark?: RefetchMark;
  } = {},
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const page = await nextPageToRefetch(db, claim.reportId);
    if (page === undefined) return;
    if (page.reached_url !== null && refetchMark !== undefined) {
      const { content, ...atMark } = await refetchMark(page);
      if (!(await saveRefetchedPage(db, claim, page, content, atMark))) return;
      continue;
    }
    const isSaved = await budget.briefly(signal, async (reservation) => {
      const content = asWebPage(await fetch(page.url, { known: knownDocument(db, page), budget: reservation }));
      // The checks of the page, which can run once it is saved, need the cookies that came with it.
      await saveSession();
      return saveRefetchedPage(db, claim, page, redactContent(content, redaction));
    });
    if (!isSaved) return;
  }
}

/** Returns the document of the last fetch; undefined if that failed. */
function knownDocument(db: Database, page: RefetchedPage): KnownDocument | undefined {
  const { url, http_status: httpStatus, content_type: contentType, headers, document_hash: hash, size } = page;
  if (httpStatus === null || hash === null || size === null) return undefined;
  return { url, httpStatus, contentType: contentType ?? '', headers, size, read: () => storedDocument(db, hash) };
}

/** A page that is no longer HTML at its own URL has failed. Redirects are not followed. */
function asWebPage(page: FetchedPage): WebPageContent {
  switch (page.kind) {
    case 'document':
    case 'failed':
      return page;
    case 'redirect':
      return failedPage({ code: 'redirects_now', params: { url: page.location } }, { httpStatus: page.httpStatus });
    case 'not_html': {
      const { httpStatus, contentType } = page;
      return failedPage({ code: 'no_longer_html', params: { content_type: contentType } }, { httpStatus, contentType });
    }
    case 'sitemap':
    case 'robots':
    case 'stopped':
      throw new Error(`Unexpected result of a re-check: ${page.kind}.`);
  }
}
