import { sql } from 'kysely';
import type { CheckStatus } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Failure, FailureCode } from '../domain/failures/failure.ts';
import type { StoredDocument, WebPageContent } from '../domain/fetched-page.ts';
import { changeReport, type ReportChange } from './change-report.ts';
import { failChecks } from './check-results.ts';
import { enabledChecks, UNBEGUN, withdrawChecks } from './checks.ts';
import { contentColumns } from './crawl-progress.ts';
import { creditsExhausted, payerOfReport, shortageOf } from './credits.ts';
import type { Executor } from './database.ts';
import { changeOutcome } from './discovered-urls.ts';
import { insertDocuments, lockDocuments } from './documents.ts';
import type { Check, ReportCheck, WebPage } from './schema.ts';

/**
 * Has a page fetched and checked again. Its issues stay until the new ones replace them. A page whose checks are still pending
 * is only fetched again.
 * @throws AppError credits_exhausted when not all checks and their raw checks can be paid for; nothing has changed then
 */
export async function recheckPage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  await changeReport(db, reportId, async (change) => {
    const { trx } = change;
    const before = await lockChecks(change, webPageId);
    if (before.length === 0) return change.leave();
    await trx
      .updateTable('checks')
      .set({ status: 'pending', runnable: false, error: null, notes: '[]', ...UNBEGUN })
      .where('web_page_id', '=', webPageId)
      .execute();
    for (const { kind, status } of before) {
      change.uncount(kind, { [status]: 1 });
      change.count(kind, { pending: 1 });
    }
    await trx
      .updateTable('web_pages')
      .set({ refetch_pending: true, updated_at: sql<Date>`now()` })
      .where('id', '=', webPageId)
      .execute();
    await trx.updateTable('reports').set({ crawl_pending: true }).where('id', '=', reportId).execute();
    // A pending check that was never begun has been paid for.
    await pay(
      change,
      webPageId,
      before.filter(({ status, attempts }) => status !== 'pending' || attempts > 0),
    );
    await forgetShortage(change);
    change.announce('crawl');
  });
}

type CheckBefore = Pick<Check, 'kind' | 'attempts'> & Pick<ReportCheck, 'store_raw'> & { readonly status: CheckStatus };

/** Locks a page's checks, so that no worker claims one: it would run twice for the same credit. */
function lockChecks({ trx, reportId }: ReportChange, webPageId: number): Promise<CheckBefore[]> {
  return trx
    .selectFrom('checks as c')
    .innerJoin('report_checks as r', (join) =>
      join.onRef('r.report_id', '=', 'c.report_id').onRef('r.kind', '=', 'c.kind'),
    )
    .select(['c.kind', 'c.status', 'c.attempts', 'r.store_raw'])
    .where('c.web_page_id', '=', webPageId)
    .where('c.report_id', '=', reportId)
    .orderBy('c.kind')
    .forUpdate('c')
    .execute();
}

/** @throws AppError credits_exhausted */
async function pay(
  { trx, reportId, takeCredits }: ReportChange,
  webPageId: number,
  checks: readonly CheckBefore[],
): Promise<void> {
  const { shortage, paid } = await takeCredits(checks.length, 'checks');
  // A raw check is paid for when it is stored, but a check must not run again and end up without its raw check.
  const rawChecks = checks.filter((check) => check.store_raw).length;
  const lacking = shortage ?? shortageOf(await payerOfReport(trx, reportId), rawChecks);
  if (lacking !== null) throw creditsExhausted(lacking);
  if (checks.length === 0) return;
  const kinds = checks.map(({ kind }) => kind);
  await trx.updateTable('checks').set(paid).where('web_page_id', '=', webPageId).where('kind', 'in', kinds).execute();
}

/**
 * Clears a shortage from the report's error when every check and raw check has been paid for after all. Pages that were never
 * rendered stay in the error.
 */
async function forgetShortage({ trx, reportId }: ReportChange): Promise<void> {
  const [ofReport, ofCheck]: readonly FailureCode[] = ['credits_over', 'credits_over_for_check'];
  const [ofCrawl, ofRendering]: readonly FailureCode[] = ['credits_over_in_crawl', 'credits_over_for_rendering'];
  await sql`
    UPDATE reports SET crawl_error = (
      SELECT jsonb_set(render_error, '{code}', to_jsonb(${ofCrawl}::text)) FROM web_pages
      WHERE report_id = ${reportId} AND render_error->>'code' = ${ofRendering}
      LIMIT 1)
    WHERE id = ${reportId} AND crawl_error->>'code' = ${ofReport} AND NOT EXISTS (
      SELECT FROM checks WHERE report_id = ${reportId} AND status = 'failed' AND error->>'code' = ${ofCheck}
    ) AND NOT EXISTS (
      SELECT FROM report_checks rc JOIN checks c ON c.report_id = rc.report_id AND c.kind = rc.kind
      WHERE rc.report_id = ${reportId} AND rc.store_raw AND c.status = 'checked' AND NOT EXISTS (
        SELECT FROM raw_checks w WHERE w.web_page_id = c.web_page_id AND w.kind = c.kind))`.execute(trx);
}

/** A page that waits to be fetched again, as it was fetched last. */
export interface RefetchedPage
  extends Pick<WebPage, 'id' | 'url' | 'document_hash' | 'http_status' | 'content_type' | 'headers' | 'title'> {
  /** The document, compressed; null when the page has none. */
  readonly body: Buffer | null;
}

/** The next page of a report to fetch again; undefined when none waits. */
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
 * Saves the answer for a page that was fetched again. Its checks become ready, or fail when the answer is no document.
 * @returns false when the report was deleted or the claim is lost
 */
export async function saveRefetchedPage(
  db: Executor,
  claim: CrawlClaim,
  page: RefetchedPage,
  content: WebPageContent,
): Promise<boolean> {
  const isSaved = await changeReport(db, claim, async (change) => {
    const { trx, reportId } = change;
    const refetched = trx.selectFrom('web_pages').select('id').where('id', '=', page.id);
    const waiting = await refetched.where('refetch_pending', '=', true).executeTakeFirst();
    // Of a page that was deleted meanwhile nothing may be stored, not even its new document.
    if (waiting !== undefined) {
      await writeContent(change, page, content);
      await (content.kind === 'document' ? readyChecks(change, page) : failPage(change, page.id, content.failure));
      // The crawl made progress, so earlier failures no longer count.
      await trx.updateTable('reports').set({ crawl_failures: 0 }).where('id', '=', reportId).execute();
      change.dropDocuments([page.document_hash]);
    }
    return true;
  });
  return isSaved ?? false;
}

async function writeContent(change: ReportChange, page: RefetchedPage, content: WebPageContent): Promise<void> {
  const { trx } = change;
  if (content.kind === 'document') await insertDocument(change, content.stored, page.document_hash);
  const columns = contentColumns(content);
  const row = { ...columns, ...sameTitle(page, content), refetch_pending: false };
  await trx.updateTable('web_pages').set(row).where('id', '=', page.id).execute();
  const { http_status } = columns;
  const isPage = content.kind === 'document';
  const became = { outcome: isPage ? 'page' : 'failed', detail: isPage ? null : content.failure } as const;
  await changeOutcome(change, page.url, { http_status, ...became });
}

/** A document that has not changed keeps its title: rendering may have found another than the server sent. */
function sameTitle({ document_hash: hash, title }: RefetchedPage, content: WebPageContent): { title?: string | null } {
  return content.kind === 'document' && hash !== null && content.stored.hash.equals(hash) ? { title } : {};
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

async function failPage(change: ReportChange, webPageId: number, error: Failure): Promise<void> {
  await withdrawChecks(change, [webPageId]);
  for (const kind of await enabledChecks(change.trx, change.reportId)) {
    await failChecks(change, kind, [webPageId], error);
  }
}

/** Clears the crawl's error when the starting URL, or the first page of a failed crawl, can be checked now. */
async function forgetStartError({ trx, reportId }: ReportChange, url: string): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ crawl_error: null, crawl_failed: false })
    .where('id', '=', reportId)
    .where((eb) => eb.or([eb('starting_url', '=', url), eb('site_url', '=', url), eb('crawl_failed', '=', true)]))
    .execute();
}
