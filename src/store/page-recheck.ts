import { sql } from 'kysely';
import type { CheckStatus } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Failure, FailureCode } from '../domain/failures/failure.ts';
import type { StoredDocument, WebPageContent } from '../domain/fetched-page.ts';
import { changeReport, type ReportChange } from './change-report.ts';
import { failChecks } from './check-results.ts';
import { enabledChecks, UNSTARTED, withdrawChecks } from './checks.ts';
import { contentColumns } from './crawl-progress.ts';
import { creditsExhausted, payerOfReport, shortageOf } from './credits.ts';
import type { Executor } from './database.ts';
import { changeOutcome } from './discovered-urls.ts';
import { insertDocuments, lockDocuments } from './documents.ts';
import { countCheck } from './issue-counts.ts';
import { countPages } from './page-counts.ts';
import type { Check, ReportCheck, WebPage } from './schema.ts';

/**
 * Schedules a page to be fetched and checked again. Its issues stay until the new ones replace them. A page whose checks are still
 * pending is only fetched again.
 * @throws AppError credits_exhausted, with nothing changed, if the credits do not pay for all checks and raw checks
 */
export async function recheckPage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  await changeReport(db, reportId, async (change) => {
    const { trx } = change;
    const before = await lockChecks(change, webPageId);
    if (before.length === 0) return change.markUnchanged();
    change.uncountPages(await countPages(trx, [webPageId]));
    await trx
      .updateTable('checks')
      .set({ status: 'pending', runnable: false, error: null, notes: '[]', ...UNSTARTED })
      .where('web_page_id', '=', webPageId)
      .execute();
    for (const check of before) {
      change.uncount(check.kind, countCheck(check));
      change.count(check.kind, { pending: 1 });
    }
    await trx
      .updateTable('web_pages')
      .set({ refetch_pending: true, updated_at: sql<Date>`now()` })
      .where('id', '=', webPageId)
      .execute();
    await trx.updateTable('reports').set({ crawl_pending: true }).where('id', '=', reportId).execute();
    // Pending checks that never started are already paid for.
    await pay(
      change,
      webPageId,
      before.filter(({ status, attempts }) => status !== 'pending' || attempts > 0),
    );
    await clearShortage(change);
    change.announce('crawl');
  });
}

type CheckBefore = Pick<Check, 'kind' | 'attempts' | 'errors'> &
  Pick<ReportCheck, 'store_raw'> & { readonly status: CheckStatus };

/** Locks a page's checks, so that no worker claims one and runs it twice for the same credit. */
function lockChecks({ trx, reportId }: ReportChange, webPageId: number): Promise<CheckBefore[]> {
  return trx
    .selectFrom('checks as c')
    .innerJoin('report_checks as r', (join) =>
      join.onRef('r.report_id', '=', 'c.report_id').onRef('r.kind', '=', 'c.kind'),
    )
    .select(['c.kind', 'c.status', 'c.attempts', 'c.errors', 'r.store_raw'])
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
  // Raw checks are paid for when they are stored. Without the credits for one, its check would run again and lose it.
  const rawChecks = checks.filter((check) => check.store_raw).length;
  const lacking = shortage ?? shortageOf(await payerOfReport(trx, reportId), rawChecks);
  if (lacking !== null) throw creditsExhausted(lacking);
  if (checks.length === 0) return;
  const kinds = checks.map(({ kind }) => kind);
  await trx.updateTable('checks').set(paid).where('web_page_id', '=', webPageId).where('kind', 'in', kinds).execute();
}

/**
 * Clears the error about missing credits once all checks and raw checks are paid for. If pages could not be rendered, the error
 * is about them instead.
 */
async function clearShortage({ trx, reportId }: ReportChange): Promise<void> {
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

/** A page to fetch again, with the last answer. */
export interface RefetchedPage
  extends Pick<WebPage, 'id' | 'url' | 'document_hash' | 'http_status' | 'content_type' | 'headers' | 'title'> {
  /** The compressed document; null if the page has none. */
  readonly body: Buffer | null;
}

/** Returns the next page of a report to fetch again; undefined if there is none. */
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
 * Saves the new answer of a page. Its checks can run now, or fail if the answer is not a document.
 * @returns false if the report was deleted or the claim is lost
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
    // If the page was deleted in the meantime, nothing may be stored, not even its new document.
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

/** Keeps the title of an unchanged document: it may come from rendering. */
function sameTitle({ document_hash: hash, title }: RefetchedPage, content: WebPageContent): { title?: string | null } {
  return content.kind === 'document' && hash !== null && content.stored.hash.equals(hash) ? { title } : {};
}

/** Stores the new document. Documents are always locked in the order of their hashes to avoid deadlocks. */
async function insertDocument({ trx }: ReportChange, stored: StoredDocument, former: Buffer | null): Promise<void> {
  if (former !== null && former.compare(stored.hash) < 0) await lockDocuments(trx, [former]);
  await insertDocuments(trx, [stored]);
}

async function readyChecks(change: ReportChange, page: RefetchedPage): Promise<void> {
  const { trx, reportId } = change;
  await trx.updateTable('checks').set({ runnable: true }).where('web_page_id', '=', page.id).execute();
  if (page.document_hash === null) await clearStartError(change, page.url);
  change.announce(...(await enabledChecks(trx, reportId)));
}

async function failPage(change: ReportChange, webPageId: number, error: Failure): Promise<void> {
  await withdrawChecks(change, [webPageId]);
  for (const kind of await enabledChecks(change.trx, change.reportId)) {
    await failChecks(change, kind, [webPageId], error);
  }
}

/** Clears the crawl's error if the page is the starting URL or the first page of a failed crawl. */
async function clearStartError({ trx, reportId }: ReportChange, url: string): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ crawl_error: null, crawl_failed: false })
    .where('id', '=', reportId)
    .where((eb) => eb.or([eb('starting_url', '=', url), eb('site_url', '=', url), eb('crawl_failed', '=', true)]))
    .execute();
}
