import type { CrawlClaim } from '../domain/crawl.ts';
import type { CrawlBudget, MemoryBudget } from '../spider/memory-budget.ts';
import { saveCrawlProgress } from '../store/crawl-progress.ts';
import type { Database } from '../store/database.ts';
import { knownUrls } from '../store/discovered-urls.ts';
import { endCrawl } from '../store/report-end.ts';
import { findReport } from '../store/reports.ts';
import { crawlFrontier } from './crawl-frontier.ts';
import type { HostedCrawl } from './crawled-hosts.ts';
import { allowedBy, type OpenSiteParts, openSite } from './open-site.ts';
import { refetchPages } from './refetch-pages.ts';
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
