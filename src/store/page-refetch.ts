import type { CrawlClaim } from '../domain/crawl.ts';
import { changeReport, type ReportChange } from './change-report.ts';
import { failChecks } from './check-results.ts';
import { enabledChecks, withdrawChecks } from './checks.ts';
import { contentColumns, type PageContent } from './crawl-progress.ts';
import type { Executor } from './database.ts';
import { changeOutcome } from './discovered-urls.ts';
import { insertDocuments, lockDocuments, type StoredDocument } from './documents.ts';
import type { WebPage } from './schema.ts';

/** A page that waits to be fetched again, as it was when it was fetched last. */
export interface RefetchedPage
  extends Pick<WebPage, 'id' | 'url' | 'document_hash' | 'http_status' | 'content_type' | 'headers' | 'title'> {
  /** The document, compressed; null when the page has none. */
  readonly body: Buffer | null;
}

/** The page of a report that is to be fetched again next; undefined when none waits for it. */
export function nextPageToRefetch(db: Executor, reportId: string): Promise<RefetchedPage | undefined> {
  return db
    .selectFrom('web_pages')
    .leftJoin('documents', 'documents.hash', 'web_pages.document_hash')
    .select(['id', 'url', 'document_hash', 'http_status', 'content_type', 'headers', 'title', 'documents.body'])
    .where('report_id', '=', reportId)
    .where('refetch_pending', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Saves what fetching a page again gave, and makes its checks ready; where it gave no document, they fail.
 * @returns false when the report was deleted or the claim is lost
 */
export async function saveRefetchedPage(
  db: Executor,
  claim: CrawlClaim,
  page: RefetchedPage,
  content: PageContent,
): Promise<boolean> {
  const isSaved = await changeReport(db, claim, async (change) => {
    const { trx, reportId } = change;
    const refetched = trx.selectFrom('web_pages').select('id').where('id', '=', page.id);
    const waiting = await refetched.where('refetch_pending', '=', true).executeTakeFirst();
    // The page was deleted meanwhile: nothing of it may be left, its new document neither.
    if (waiting !== undefined) {
      await writeContent(change, page, content);
      await ('document' in content ? readyChecks(change, page) : failPage(change, page.id, content.message));
      // The crawl got on, so that what broke it off before counts no more.
      await trx.updateTable('reports').set({ crawl_failures: 0 }).where('id', '=', reportId).execute();
      change.dropDocuments([page.document_hash]);
    }
    return true;
  });
  return isSaved ?? false;
}

async function writeContent(change: ReportChange, page: RefetchedPage, content: PageContent): Promise<void> {
  const { trx } = change;
  if ('document' in content) await insertDocument(change, content.stored, page.document_hash);
  const columns = contentColumns(content);
  const row = { ...columns, ...sameTitle(page, content), refetch_pending: false };
  await trx.updateTable('web_pages').set(row).where('id', '=', page.id).execute();
  const { http_status, fetch_error: detail } = columns;
  await changeOutcome(change, page.url, { outcome: detail === null ? 'page' : 'failed', http_status, detail });
}

/** A document that has not changed keeps its title: rendering may have found another than the server sent. */
function sameTitle({ document_hash: hash, title }: RefetchedPage, content: PageContent): { title?: string | null } {
  return 'stored' in content && hash !== null && content.stored.hash.equals(hash) ? { title } : {};
}

/** Stores the new document. Documents are locked in the order of their hashes everywhere, or two might wait for each other. */
async function insertDocument({ trx }: ReportChange, stored: StoredDocument, former: Buffer | null): Promise<void> {
  if (former !== null && former.compare(stored.hash) < 0) await lockDocuments(trx, [former]);
  await insertDocuments(trx, [stored]);
}

async function readyChecks(change: ReportChange, page: RefetchedPage): Promise<void> {
  const { trx, reportId } = change;
  await trx.updateTable('checks').set({ runnable: true }).where('web_page_id', '=', page.id).execute();
  if (page.document_hash === null) await forgetStartError(change, page.url);
  change.announce(...(await enabledChecks(trx, reportId)));
}

async function failPage(change: ReportChange, webPageId: number, error: string): Promise<void> {
  await withdrawChecks(change, [webPageId]);
  for (const kind of await enabledChecks(change.trx, change.reportId)) {
    await failChecks(change, kind, [webPageId], error);
  }
}

/** A starting URL that could not be checked, and now can be, is no fault of the crawl any more; nor is any first page. */
async function forgetStartError({ trx, reportId }: ReportChange, url: string): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ crawl_error: null, crawl_failed: false })
    .where('id', '=', reportId)
    .where((eb) => eb.or([eb('starting_url', '=', url), eb('site_url', '=', url), eb('crawl_failed', '=', true)]))
    .execute();
}
