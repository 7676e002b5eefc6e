import type { FetchedDocument } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import { type FetchedPage, failedPage, type WebPageContent } from '../domain/fetched-page.ts';
import type { Redaction } from '../domain/redaction.ts';
import { unpackDocument } from '../platform/packed-document.ts';
import { type CrawlBudget, createMemoryBudget, type MemoryBudget, OverBudget } from '../spider/memory-budget.ts';
import { saveCrawlProgress } from '../store/crawl-progress.ts';
import type { Database } from '../store/database.ts';
import { knownUrls } from '../store/discovered-urls.ts';
import { nextPageToRefetch, type RefetchedPage, saveRefetchedPage } from '../store/page-recheck.ts';
import { endCrawl } from '../store/report-end.ts';
import { findReport } from '../store/reports.ts';
import { crawlFrontier } from './crawl-frontier.ts';
import type { HostedCrawl } from './crawled-hosts.ts';
import { allowedBy, type Fetch, type OpenSiteParts, openSite } from './open-site.ts';
import { redactContent } from './redact-progress.ts';
import { createPaidRenderer } from './rendering/page-renderings.ts';

export interface CrawlParts extends Omit<OpenSiteParts, 'report' | 'hostUser'> {
  readonly db: Database;
  readonly budget: MemoryBudget;
}

/**
 * Crawls a report, and fetches the pages that wait for a re-check. Results are saved as they are found, so a crawl that was
 * killed continues where it was. Ends early if the report is deleted or claimed by another process.
 * @throws database errors, HostElsewhere, and the signal's reason when aborted; the report can be claimed again afterwards
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
interface ReportParts extends OpenSiteParts {
  readonly db: Database;
  readonly budget: CrawlBudget;
}

async function crawl(parts: ReportParts, claim: CrawlClaim, signal: AbortSignal): Promise<void> {
  const { db, report } = parts;
  const site = openSite(parts, claim, signal);
  const { fetch, redaction, robots, closedBecause } = site;
  const refetch = (): Promise<void> =>
    refetchPages(db, claim, allowedBy(robots, fetch), signal, { budget: parts.budget, redaction });
  do {
    if (closedBecause !== undefined) {
      // The waiting URLs stay waiting: they are not failed pages.
      await saveCrawlProgress(db, claim, { pages: [], discovered: [], crawlError: closedBecause });
    } else if (report.crawl_failed === null) {
      const known = await knownUrls(db, claim.reportId);
      const rendering = { waitFor: report.wait_for, signal };
      const renderer = report.dynamic_crawler
        ? await createPaidRenderer(db, site.renderPage, report.id, rendering)
        : null;
      await crawlFrontier(db, report, known, { ...site, claim, renderer, refetch, budget: parts.budget, signal });
    }
    await refetch();
  } while (!(await endCrawl(db, claim)));
}

/**
 * Fetches the pages of a report that wait for a re-check, one after the other, and makes their checks runnable. Ends early if
 * the report is gone or another process has claimed the crawl.
 * @param options.budget the memory budget for documents; default: one that is not shared
 * @param options.redaction masks the site credentials
 */
export async function refetchPages(
  db: Database,
  claim: CrawlClaim,
  fetch: Fetch,
  signal: AbortSignal,
  {
    budget = createMemoryBudget().forCrawl(claim.reportId),
    redaction = null,
  }: { budget?: CrawlBudget; redaction?: Redaction | null } = {},
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const page = await nextPageToRefetch(db, claim.reportId);
    if (page === undefined) return;
    const isSaved = await budget.briefly(signal, async (reservation) => {
      const known = await knownDocument(page);
      if (!reservation.take(known?.body.byteLength ?? 0))
        throw new OverBudget('The memory budget has no room for the earlier document.');
      const content = asWebPage(await fetch(page.url, { known, budget: reservation }));
      return saveRefetchedPage(db, claim, page, redactContent(content, redaction));
    });
    if (!isSaved) return;
  }
}

/** Returns the document of the last fetch; undefined if that failed. */
async function knownDocument(page: RefetchedPage): Promise<FetchedDocument | undefined> {
  const { url, http_status: httpStatus, content_type: contentType, headers, body } = page;
  if (httpStatus === null || body === null) return undefined;
  return { url, httpStatus, contentType: contentType ?? '', headers, body: await unpackDocument(body) };
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
      throw new Error(`Unexpected answer of a re-check: ${page.kind}.`);
  }
}
