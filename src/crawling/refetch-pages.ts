import type { FetchedDocument } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import { type FetchedPage, failedPage, type WebPageContent } from '../domain/fetched-page.ts';
import type { Redaction } from '../domain/redaction.ts';
import { unpackDocument } from '../platform/packed-document.ts';
import { type CrawlBudget, createMemoryBudget, OverBudget } from '../spider/memory-budget.ts';
import type { Database } from '../store/database.ts';
import { nextPageToRefetch, type RefetchedPage, saveRefetchedPage } from '../store/page-recheck.ts';
import { redactContent } from './redact-progress.ts';
import type { Fetch } from './visit-url.ts';

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
