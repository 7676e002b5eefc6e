import { type SqlBool, sql } from 'kysely';
import { markIn, partOfJourney } from '../../../packages/client/marks.ts';
import type { CheckKind, CheckStatus } from '../../domain/check.ts';
import type { CheckCounts } from '../../domain/counts.ts';
import type { CrawlClaim } from '../../domain/crawl.ts';
import type { Failure, FailureCode } from '../../domain/failures/failure.ts';
import type { StoredDocument, WebPageContent } from '../../domain/fetched-page.ts';
import { slicesOf } from '../../platform/slices.ts';
import { CreditsExhausted, payerOfReport, shortageOf } from '../credits/credits.ts';
import type { Executor } from '../database.ts';
import { hasSevere } from '../issues/issue-sums.ts';
import { failChecks } from '../pages/check-results.ts';
import { enabledChecks, UNSTARTED, withdrawChecks } from '../pages/checks.ts';
import { insertDocuments, lockDocuments } from '../pages/documents.ts';
import { countPages } from '../pages/page-counts.ts';
import { MARK, replaceScreenshots } from '../pages/screenshots.ts';
import { type CollectedAtMark, contentColumns, readProgress } from '../reports/crawl-progress.ts';
import { changeOutcome } from '../reports/discovered-urls.ts';
import { keepPages } from '../reports/keep-results.ts';
import { type ReportTransaction, reportTransaction } from '../reports/report-transaction.ts';
import type { WebPage } from '../schema.ts';
import { storable } from '../storable.ts';
import type { BeforeColumn } from './recheck-tables.ts';
import { findUnfinishedRecheck, insertRecheck } from './rechecks.ts';

/** Pages to check again: pages with the ids, or pages with a common issue that is not muted on them. */
export type RecheckedPages =
  | { readonly webPageIds: readonly number[] }
  | { readonly kind: CheckKind; readonly commonIssueId: number };

/** Schedules a page to be fetched and checked again, like `recheckPages`. Its checks store the results of their occurrences. */
export async function recheckPage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  await reportTransaction(db, reportId, async (change) => {
    const ids = await findPages(change, { webPageIds: [webPageId] });
    if (ids.length === 0) change.markUnchanged();
    else await schedulePages(change, ids);
  });
}

/**
 * Schedules pages to be fetched and checked again. Their issues stay until the new ones replace them. Pages whose checks are
 * still pending are only fetched again. While a re-check of the same pages has not ended, nothing changes.
 * @returns the id of the re-check; null, with nothing changed, if there is no such page, one of the pages is not part of the
 *   report, or the report was deleted
 * @throws AppError credits_exhausted, with nothing changed, if the credits do not pay for all checks and raw checks
 * @throws AppError conflict, with nothing changed, if too many re-checks of the report have not ended
 */
export async function recheckPages(db: Executor, reportId: string, pages: RecheckedPages): Promise<string | null> {
  const id = await reportTransaction(db, reportId, async (change) => {
    const ids = await findPages(change, pages);
    const subject = { ...pages, ids };
    // A common issue may have no pages anymore while some are still being checked again.
    const isKnown = ids.length > 0 || 'commonIssueId' in pages;
    const known = isKnown ? await findUnfinishedRecheck(change, subject) : undefined;
    if (known === undefined && ids.length > 0) {
      return insertRecheck(change, subject, await schedulePages(change, ids));
    }
    change.markUnchanged();
    return known;
  });
  return id ?? null;
}

/** @returns the number of checks that were paid for. Raw checks are paid for when they are stored. */
async function schedulePages(change: ReportTransaction, ids: readonly number[]): Promise<number> {
  const unpaid: UnpaidChecks[] = [];
  for (const slice of slicesOf(ids, BATCH_PAGES)) unpaid.push(...(await lockChecks(change, slice)));
  const credits = unpaid.reduce((sum, checks) => sum + checks.webPageIds.length, 0);
  const rawChecks = unpaid.reduce((sum, checks) => sum + (checks.storeRaw ? checks.webPageIds.length : 0), 0);
  // Before the pages are changed, because that takes a long time; and again below, under the lock of the account.
  await requireCredits(change, credits + rawChecks);
  for (const slice of slicesOf(ids, BATCH_PAGES)) await resetPages(change, slice);
  await change.trx.updateTable('reports').set({ crawl_pending: true }).where('id', '=', change.reportId).execute();
  await pay(change, unpaid, credits, rawChecks);
  await clearShortage(change);
  change.announce('crawl');
  return credits;
}

/** Pages in one statement: few enough to stay far below the time limit of statements. */
const BATCH_PAGES = 1_000;

/** Returns the ids of the pages in their order; empty if one of the given ids is not in the report. */
async function findPages({ trx, reportId }: ReportTransaction, pages: RecheckedPages): Promise<readonly number[]> {
  if ('webPageIds' in pages) {
    const wanted = [...new Set(pages.webPageIds)];
    const { rows } = await sql<{ id: number }>`
      SELECT id FROM web_pages WHERE report_id = ${reportId} AND id = ANY(${wanted}) ORDER BY id`.execute(trx);
    return rows.length === wanted.length ? rows.map(({ id }) => id) : [];
  }
  const { rows } = await sql<{ id: number }>`
    SELECT DISTINCT i.web_page_id AS id FROM common_issues c JOIN issues i ON i.common_issue_id = c.id
    WHERE c.id = ${pages.commonIssueId} AND c.kind = ${pages.kind} AND c.report_id = ${reportId} AND NOT i.muted
    ORDER BY id`.execute(trx);
  return rows.map(({ id }) => id);
}

/** The checks of a kind that have yet to be paid for. */
interface UnpaidChecks {
  readonly kind: CheckKind;
  readonly storeRaw: boolean;
  readonly webPageIds: readonly number[];
}

/**
 * Locks the checks of pages, so that no worker claims one and runs it twice for the same credit, and counts them as pending.
 * @returns the checks that have to be paid for: pending checks that never started are already paid for
 */
async function lockChecks(change: ReportTransaction, webPageIds: readonly number[]): Promise<UnpaidChecks[]> {
  const { rows } = await sql<UnpaidChecks & Pick<CheckCounts, CheckStatus | 'with_errors' | 'with_severe'>>`
    SELECT c.kind, r.store_raw AS "storeRaw",
      count(*) FILTER (WHERE c.status = 'pending') AS pending, count(*) FILTER (WHERE c.status = 'checked') AS checked,
      count(*) FILTER (WHERE c.status = 'failed') AS failed, count(*) FILTER (WHERE c.state = 'with_errors') AS with_errors,
      count(*) FILTER (WHERE ${hasSevere('c')}) AS with_severe,
      to_json(coalesce(array_agg(c.web_page_id) FILTER (WHERE c.status <> 'pending' OR c.attempts > 0), '{}')) AS "webPageIds"
    FROM (
      SELECT kind, web_page_id, status, state, attempts, critical_errors, serious_errors FROM checks
      WHERE web_page_id = ANY(${webPageIds}) ORDER BY web_page_id, kind FOR UPDATE
    ) c JOIN report_checks r ON r.report_id = ${change.reportId} AND r.kind = c.kind
    GROUP BY c.kind, r.store_raw, r.position ORDER BY r.position`.execute(change.trx);
  for (const { kind, pending, checked, failed, with_errors, with_severe } of rows) {
    change.uncount(kind, { pending, checked, failed, with_errors, with_severe });
    change.count(kind, { pending: pending + checked + failed });
  }
  return rows.map(({ kind, storeRaw, webPageIds: unpaid }) => ({ kind, storeRaw, webPageIds: unpaid }));
}

async function resetPages(change: ReportTransaction, webPageIds: readonly number[]): Promise<void> {
  const { trx } = change;
  change.uncountPages(await countPages(trx, webPageIds));
  await keepPages(change, webPageIds);
  // The new result is compared with the last successful result, which is older than a failure.
  const before = (column: BeforeColumn, now: string) =>
    sql<null>`CASE c.status WHEN 'checked' THEN ${sql.ref(now)} ELSE ${sql.ref(`c.${column}`)} END`;
  await trx
    .updateTable('checks as c')
    .from('web_pages as p')
    .set({
      status: 'pending',
      runnable: false,
      may_reuse: false,
      error: null,
      notes: '[]',
      collected: null,
      ...UNSTARTED,
    })
    .set({
      before_document: before('before_document', 'p.document_hash'),
      before_engine: before('before_engine', 'c.engine_version'),
      before_resources: before('before_resources', 'c.resources'),
    })
    .whereRef('p.id', '=', 'c.web_page_id')
    .where(sql<SqlBool>`c.web_page_id = ANY(${webPageIds})`)
    .execute();
  await trx
    .updateTable('web_pages')
    .set({ refetch_pending: true, updated_at: sql<Date>`now()` })
    .where(sql<SqlBool>`id = ANY(${webPageIds})`)
    .execute();
}

/** @throws AppError credits_exhausted if the payer has fewer */
async function requireCredits({ trx, reportId }: ReportTransaction, needed: number): Promise<void> {
  const lacking = shortageOf(await payerOfReport(trx, reportId), needed);
  if (lacking !== null) throw new CreditsExhausted(lacking);
}

/** @throws AppError credits_exhausted */
async function pay(
  change: ReportTransaction,
  unpaid: readonly UnpaidChecks[],
  credits: number,
  rawChecks: number,
): Promise<void> {
  const { shortage, paid } = await change.takeCredits(credits, 'checks');
  if (shortage !== null) throw new CreditsExhausted(shortage);
  // Raw checks are paid for when they are stored. Without credits for them, checks would run again and lose their raw checks.
  await requireCredits(change, rawChecks);
  for (const { kind, webPageIds } of unpaid) {
    const ofPages = sql<SqlBool>`web_page_id = ANY(${webPageIds})`;
    // If credits are unlimited, most are already correct.
    const isOther = sql<SqlBool>`(paid_by, usage_month) IS DISTINCT FROM (${paid.paid_by}::uuid, ${paid.usage_month}::date)`;
    await change.trx.updateTable('checks').set(paid).where('kind', '=', kind).where(ofPages).where(isOther).execute();
  }
}

/**
 * Clears the error about missing credits once all checks and raw checks are paid for. If pages could not be rendered, the
 * report's error becomes theirs instead.
 */
async function clearShortage({ trx, reportId }: ReportTransaction): Promise<void> {
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

/** A page to fetch again, with the last response. */
export interface RefetchedPage
  extends Pick<
    WebPage,
    'id' | 'url' | 'reached_url' | 'document_hash' | 'http_status' | 'content_type' | 'headers' | 'title'
  > {
  /** Bytes of the document before compression; null if the page has none. */
  readonly size: number | null;
}

/**
 * Returns the next page of a report to fetch again; undefined if there is none. Marks of a journey that may have changed
 * something come first: the report records only one such journey, which the next one replaces.
 */
export async function nextPageToRefetch(db: Executor, reportId: string): Promise<RefetchedPage | undefined> {
  const pages = db
    .selectFrom('web_pages')
    .leftJoin('documents', 'documents.hash', 'web_pages.document_hash')
    .select(['id', 'url', 'reached_url', 'document_hash', 'http_status'])
    .select(['content_type', 'headers', 'title', 'documents.size'])
    .where('report_id', '=', reportId)
    .where('refetch_pending', '=', true)
    .orderBy('id')
    .limit(1);
  const page = await pages.executeTakeFirst();
  if (page === undefined || page.reached_url === null) return page;
  const { acting_journey: acting } = await readProgress(db, reportId);
  if (acting === null) return page;
  const mark = await pages.where(sql<boolean>`strpos(url, ${partOfJourney(acting)}) > 0`).executeTakeFirst();
  return mark ?? page;
}

/** Returns the URLs of the marks of journeys that are to be checked again. */
export async function pendingMarks(db: Executor, reportId: string): Promise<readonly string[]> {
  const pages = db.selectFrom('web_pages').select('url').where('report_id', '=', reportId);
  const marks = pages.where('refetch_pending', '=', true).where('reached_url', 'is not', null);
  return (await marks.execute()).map(({ url }) => url);
}

/**
 * Saves the new response of a page. Its checks can run now, or fail if the response is not a document.
 * @param atMark what was found at a mark of a journey
 * @returns false if the report was deleted or the claim is lost
 */
export async function saveRefetchedPage(
  db: Executor,
  claim: CrawlClaim,
  page: RefetchedPage,
  content: WebPageContent,
  atMark?: CollectedAtMark,
): Promise<boolean> {
  const isSaved = await reportTransaction(db, claim, async (change) => {
    const { trx, reportId } = change;
    const refetched = trx.selectFrom('web_pages').select('id').where('id', '=', page.id);
    const waiting = await refetched.where('refetch_pending', '=', true).executeTakeFirst();
    // If the page was deleted in the meantime, nothing may be stored, not even its new document.
    if (waiting !== undefined) {
      if (atMark !== undefined) await saveMark(change, page.id, atMark);
      await writeContent(change, page, content);
      await (content.kind === 'document'
        ? readyChecks(change, page, atMark?.collected)
        : failPage(change, page.id, content.failure));
      // The crawl has made progress, so earlier failures no longer count.
      const progress = trx.updateTable('reports').set({ crawl_failures: 0 }).where('id', '=', reportId);
      await progress.execute();
      const journey = atMark === undefined ? undefined : markIn(page.url)?.journey;
      const marksLeft = journey === undefined ? [] : await pendingMarks(trx, reportId);
      if (journey !== undefined && marksLeft.every((url) => markIn(url)?.journey !== journey)) {
        await progress.set({ acting_journey: null }).where('acting_journey', '=', journey).execute();
      }
      change.dropDocuments([page.document_hash]);
    }
    return true;
  });
  return isSaved ?? false;
}

async function saveMark(
  change: ReportTransaction,
  webPageId: number,
  { screenshot, reachedUrl }: CollectedAtMark,
): Promise<void> {
  await replaceScreenshots(change, MARK, [{ webPageId, screenshot }]);
  const reached = { reached_url: storable(reachedUrl) };
  await change.trx.updateTable('web_pages').set(reached).where('id', '=', webPageId).execute();
}

async function writeContent(change: ReportTransaction, page: RefetchedPage, content: WebPageContent): Promise<void> {
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

/** Keeps the title of an unchanged document: it may be from a rendering. */
function sameTitle({ document_hash: hash, title }: RefetchedPage, content: WebPageContent): { title?: string | null } {
  return content.kind === 'document' && hash !== null && content.stored.hash.equals(hash) ? { title } : {};
}

/** Stores the new document. Documents are always locked in the order of their hashes to avoid deadlocks. */
async function insertDocument(
  { trx }: ReportTransaction,
  stored: StoredDocument,
  former: Buffer | null,
): Promise<void> {
  if (former !== null && former.compare(stored.hash) < 0) await lockDocuments(trx, [former]);
  await insertDocuments(trx, [stored]);
}

async function readyChecks(
  change: ReportTransaction,
  page: RefetchedPage,
  collected: CollectedAtMark['collected'] = new Map(),
): Promise<void> {
  const { trx, reportId } = change;
  for (const [kind, output] of collected) {
    if ('code' in output) {
      await failChecks(change, kind, [page.id], output);
      continue;
    }
    const own = trx.updateTable('checks').where('web_page_id', '=', page.id).where('kind', '=', kind);
    await own.set({ collected: output }).execute();
  }
  await trx.updateTable('checks').set({ runnable: true }).where('web_page_id', '=', page.id).execute();
  if (page.document_hash === null) await clearStartError(change, page.url);
  change.announce(...(await enabledChecks(trx, reportId)));
}

async function failPage(change: ReportTransaction, webPageId: number, error: Failure): Promise<void> {
  await withdrawChecks(change, [webPageId]);
  for (const kind of await enabledChecks(change.trx, change.reportId)) {
    await failChecks(change, kind, [webPageId], error);
  }
}

/** Clears the crawl's error if the page is the starting URL or the first page of a failed crawl. */
async function clearStartError({ trx, reportId }: ReportTransaction, url: string): Promise<void> {
  await trx
    .updateTable('reports')
    .set({ crawl_error: null, crawl_failed: false })
    .where('id', '=', reportId)
    .where((eb) => eb.or([eb('starting_url', '=', url), eb('site_url', '=', url), eb('crawl_failed', '=', true)]))
    .execute();
}
