import type { Transaction } from 'kysely';
import type { FetchedDocument } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Redaction } from '../domain/redaction.ts';
import { announceWork } from '../queue/worker.ts';
import { extractLinks } from '../spider/extract-links.ts';
import type { FetchOutcome } from '../spider/fetch-page.ts';
import { type CrawlBudget, createMemoryBudget, OverBudget } from '../spider/memory-budget.ts';
import { saveFailedChecks } from '../store/check-results.ts';
import { contentColumns, enabledChecks, noteCrawlProgress, type PageContent } from '../store/crawl-progress.ts';
import { refund, withdrawChecks } from '../store/credits.ts';
import type { Database } from '../store/database.ts';
import { changeOutcome } from '../store/discovered-urls.ts';
import {
  insertDocuments,
  lockDocuments,
  packDocument,
  removeUnreferencedDocuments,
  type StoredDocument,
  unpackDocument,
} from '../store/documents.ts';
import { lockCrawl } from '../store/report-lock.ts';
import { settleReport } from '../store/report-progress.ts';
import type { Schema, WebPage } from '../store/schema.ts';
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
    const page = await db
      .selectFrom('web_pages')
      .leftJoin('documents', 'documents.hash', 'web_pages.document_hash')
      .select(['id', 'url', 'document_hash', 'http_status', 'content_type', 'headers', 'title', 'documents.body'])
      .where('report_id', '=', claim.reportId)
      .where('refetch_pending', '=', true)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (page === undefined) return;
    const isSaved = await budget.briefly(signal, async (lease) => {
      const known = await knownDocument(page);
      if (!lease.take(known?.body.byteLength ?? 0)) throw new OverBudget('There is no room for the former document.');
      const content = await toContent(await fetch(page.url, { known, budget: lease }));
      return savePage(db, claim, page, redactContent(content, redaction));
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

async function toContent(outcome: FetchOutcome): Promise<PageContent> {
  switch (outcome.kind) {
    case 'document': {
      const stored = await packDocument(outcome.document.body);
      return { document: outcome.document, stored, title: extractLinks(outcome.document).title };
    }
    case 'sitemap':
      throw new Error('A page fetched again is never read as a sitemap.');
    case 'redirect':
      return {
        httpStatus: outcome.httpStatus,
        contentType: '',
        message: `The page now redirects to ${outcome.location}`,
      };
    case 'other': {
      const { httpStatus, contentType } = outcome;
      return {
        httpStatus,
        contentType,
        message: `The page is no longer HTML but ${contentType || 'of no known type'}`,
      };
    }
    case 'error':
      return outcome;
  }
}

interface RefetchedPage
  extends Pick<WebPage, 'id' | 'url' | 'document_hash' | 'http_status' | 'content_type' | 'headers' | 'title'> {
  /** The document, compressed; null when the page has none. */
  readonly body: Buffer | null;
}

/** @returns false when the report was deleted or the claim is lost */
function savePage(db: Database, claim: CrawlClaim, page: RefetchedPage, content: PageContent): Promise<boolean> {
  const { reportId } = claim;
  return db.transaction().execute(async (trx) => {
    if (!(await lockCrawl(trx, claim))) return false;
    const waiting = await trx
      .selectFrom('web_pages')
      .select('id')
      .where('id', '=', page.id)
      .where('refetch_pending', '=', true)
      .executeTakeFirst();
    // The page was deleted meanwhile: nothing of it may be left, its new document neither.
    if (waiting === undefined) return true;
    await writeContent(trx, reportId, page, content);
    const kinds = await enabledChecks(trx, reportId);
    const payments = 'document' in content ? [] : await withdrawChecks(trx, reportId, [page.id]);
    if ('document' in content) {
      await trx.updateTable('checks').set({ runnable: true }).where('web_page_id', '=', page.id).execute();
      if (page.document_hash === null) await forgetStartError(trx, reportId, page.url);
      await announceWork(trx, kinds);
    } else {
      for (const kind of kinds) await saveFailedChecks(trx, reportId, kind, [page.id], content.message);
    }
    await settleReport(trx, reportId, { checkedNow: false });
    await noteCrawlProgress(trx, reportId);
    if (page.document_hash !== null) await removeUnreferencedDocuments(trx, [page.document_hash]);
    await refund(trx, reportId, payments);
    return true;
  });
}

/** A document that has not changed keeps its title: rendering may have found another than the server sent. */
function sameTitle({ document_hash: hash, title }: RefetchedPage, content: PageContent): { title?: string | null } {
  return 'stored' in content && hash !== null && content.stored.hash.equals(hash) ? { title } : {};
}

async function writeContent(
  trx: Transaction<Schema>,
  reportId: string,
  page: RefetchedPage,
  content: PageContent,
): Promise<void> {
  if ('document' in content) await insertDocument(trx, content.stored, page.document_hash);
  const columns = contentColumns(content);
  const row = { ...columns, ...sameTitle(page, content), refetch_pending: false };
  await trx.updateTable('web_pages').set(row).where('id', '=', page.id).execute();
  const { http_status, fetch_error: detail } = columns;
  await changeOutcome(trx, reportId, page.url, { outcome: detail === null ? 'page' : 'failed', http_status, detail });
}

/** Stores the new document. Documents are locked in the order of their hashes everywhere, or two might wait for each other. */
async function insertDocument(trx: Transaction<Schema>, stored: StoredDocument, former: Buffer | null): Promise<void> {
  if (former !== null && former.compare(stored.hash) < 0) await lockDocuments(trx, [former]);
  await insertDocuments(trx, [stored]);
}

/** A starting URL that could not be checked, and now can be, is no fault of the crawl any more; nor is any first page. */
async function forgetStartError(trx: Transaction<Schema>, reportId: string, url: string): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ crawl_error: null, crawl_failed: false })
    .where('id', '=', reportId)
    .where((eb) => eb.or([eb('starting_url', '=', url), eb('site_url', '=', url), eb('crawl_failed', '=', true)]))
    .execute();
}
