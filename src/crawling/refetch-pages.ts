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
 * Fetches again the pages of a report that wait for a re-check, one after the other, and makes their checks ready.
 * Ends early when the report is gone or another run has taken the crawl over.
 * @param options.room what the documents take room of; one without others unless given
 * @param options.redaction takes what signs in out of what is told of the pages
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
        throw new OverBudget('There is no room for the former document.');
      const content = asWebPage(await fetch(page.url, { known, budget: reservation }));
      return saveRefetchedPage(db, claim, page, redactContent(content, redaction));
    });
    if (!isSaved) return;
  }
}

/** What the page was when it was fetched last; nothing when that failed. */
async function knownDocument(page: RefetchedPage): Promise<FetchedDocument | undefined> {
  const { url, http_status: httpStatus, content_type: contentType, headers, body } = page;
  if (httpStatus === null || body === null) return undefined;
  return { url, httpStatus, contentType: contentType ?? '', headers, body: await unpackDocument(body) };
}

/** A page that was HTML at its own URL has failed when it no longer is: no redirect is followed, whatever may be in a crawl. */
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
      throw new Error(`A page that is fetched again cannot come to be ${page.kind}.`);
  }
}
