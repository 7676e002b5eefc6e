import { sql, Transaction } from 'kysely';
import type { Measure } from '../../../packages/client/standards.ts';
import type { CheckKind } from '../../domain/check.ts';
import { CHECK_COUNTS, type CheckCounts, NO_CHECKS } from '../../domain/counts.ts';
import type { CrawlClaim } from '../../domain/crawl.ts';
import { createKeyedQueue } from '../../platform/keyed-queue.ts';
import { type Payment, refund, type TakenCredits, takeReportCredits } from '../credits/credits.ts';
import { type Executor, inTransaction } from '../database.ts';
import { recordReportEnd } from '../notifications/notification-events.ts';
import { removeUnreferencedDocuments } from '../pages/documents.ts';
import { NO_PAGES, type PageCounts } from '../pages/page-counts.ts';
import type { CreditReason, Schema } from '../schema.ts';
import { announceWork, type WorkTopic } from '../work-topics.ts';
import { announceChanges } from './change-announcements.ts';
import { endListenerOf, readEndedReport } from './ended-report.ts';
import { removeSession } from './login-sessions.ts';
import { recordEnd } from './results-at-end.ts';

/** A locked report that is being changed. Unless they return a promise, methods take effect at the end of the change. */
export interface ReportTransaction {
  readonly trx: Transaction<Schema>;
  readonly reportId: string;
  /** The account to which the work on the report is charged. */
  readonly payerId: string;
  /** The standard that decides which issues count. */
  readonly measure: Measure;
  /** Adds to the report's counts of a kind of check. */
  count(kind: CheckKind, counts: Partial<CheckCounts>): void;
  /** Subtracts from the report's counts of a kind of check. */
  uncount(kind: CheckKind, counts: Partial<CheckCounts>): void;
  /** Adds to the report's counts of pages that are checked and passed. */
  countPages(pages: PageCounts): void;
  /** Subtracts from the report's counts of pages that are checked and passed. */
  uncountPages(pages: PageCounts): void;
  /** Sets the time of the last check to now. */
  markChecked(): void;
  /** Takes credits for the report immediately, as many as there are. Documents must not be stored or removed afterwards. */
  takeCredits(wanted: number, reason: CreditReason): Promise<TakenCredits>;
  /** Removes the documents that no page refers to anymore. */
  dropDocuments(hashes: readonly (Buffer | null)[]): void;
  /** Refunds checks that never ran. */
  refund(payments: readonly Payment[]): void;
  /** Notifies all workers of new work. */
  announce(...topics: WorkTopic[]): void;
  /** Keeps the report's status and times, because nothing was changed. */
  markUnchanged(): void;
  /** Keeps the report's status and times, because only its insights were changed, but announces the change. */
  markInsightsChanged(): void;
  /** Changes only `updated_at`, and announces the change: the results, and therefore the insights, are the same. */
  markResultsKept(): void;
}

/** What remains to be done at the end of a change. */
interface Deferred {
  readonly counts: Map<CheckKind, CheckCounts>;
  pages: PageCounts;
  readonly documents: Buffer[];
  readonly payments: Payment[];
  readonly topics: Set<WorkTopic>;
  isChecked: boolean;
  hasTakenCredits: boolean;
  isUnchanged: boolean;
  areInsightsChanged: boolean;
  areResultsKept: boolean;
}

/** Another transaction is changing the report. */
export class ReportBusy extends Error {
  override readonly name = 'ReportBusy';
}

export interface ReportTransactionOptions {
  /** Whether to wait, with a connection, while another transaction changes the report. Default: true. */
  readonly waits?: boolean;
  /**
   * Whether to wait first, without a connection, until earlier transactions of this process with this option have changed the
   * report. Default: false.
   */
  readonly queued?: boolean;
}

/** The queued transactions of this process, by report. */
const inQueue = createKeyedQueue();

/**
 * Changes a report and everything in it: the only way to do so. Opens a transaction or joins the current one, and locks the
 * report first, so that changes of one report run one at a time. After `work`, updates the report's counts, status and times,
 * removes documents, refunds, wakes workers, announces the change to readers, and logs the first end of the report.
 *
 * Locks are taken in the order report, screenshot images, thumbnail, documents, guest account, account, sums of mutings.
 * Functions that change sites lock schedules, then the site, then its reports; if a limit of the account applies, the account
 * first.
 *
 * Three triggers write values that functions in `work` could forget, or run too early to write:
 * - `page_status_inserted` and `page_status_updated` derive the status of pages from their checks. Many functions change the
 *   statuses of checks, each in a separate statement for many pages.
 * - `report_mutings_total` adds the occurrences that mutings mute in a report to their sums over all reports. It runs at commit
 *   because it locks the sums, and a transaction may change one report after another.
 *
 * @param report its id, or a claim, which has to be the current one of the report's crawl
 * @returns the result of `work`; undefined, with nothing changed, if the report was deleted or the claim is lost
 * @throws ReportBusy, with nothing changed, if the report is locked and `waits` is false
 */
export async function reportTransaction<Result>(
  db: Executor,
  report: string | CrawlClaim,
  work: (change: ReportTransaction) => Promise<Result>,
  { waits = true, queued = false }: ReportTransactionOptions = {},
): Promise<Result | undefined> {
  const claim = typeof report === 'string' ? undefined : report;
  const reportId = typeof report === 'string' ? report : report.reportId;
  const transaction = () => lockedTransaction(db, { reportId, claim, waits }, work);
  return queued && !(db instanceof Transaction) ? inQueue(reportId, transaction) : transaction();
}

interface WantedLock {
  readonly reportId: string;
  readonly claim: CrawlClaim | undefined;
  readonly waits: boolean;
}

async function lockedTransaction<Result>(
  db: Executor,
  { reportId, claim, waits }: WantedLock,
  work: (change: ReportTransaction) => Promise<Result>,
): Promise<Result | undefined> {
  const onEnd = endListenerOf(db);
  const done = await inTransaction(db, async (trx) => {
    const existing = trx.selectFrom('reports').where('id', '=', reportId).where('deleted_at', 'is', null);
    const wanted = existing.select(['crawl_claim_id', 'account_id', 'payer_id', 'standard', 'best_practices']);
    const locking = wanted.forNoKeyUpdate();
    const locked = await (waits ? locking : locking.skipLocked()).executeTakeFirst();
    if (locked === undefined && !waits && (await wanted.executeTakeFirst()) !== undefined) throw new ReportBusy();
    if (locked === undefined || (claim !== undefined && locked.crawl_claim_id !== claim.claimId)) return undefined;
    const deferred: Deferred = {
      counts: new Map(),
      pages: NO_PAGES,
      documents: [],
      payments: [],
      topics: new Set(),
      isChecked: false,
      hasTakenCredits: false,
      isUnchanged: false,
      areInsightsChanged: false,
      areResultsKept: false,
    };
    const result = await work(
      changeOf(trx, { reportId, payerId: locked.payer_id, measure: measureOf(locked) }, deferred),
    );
    const hasEnded = await finish(trx, reportId, deferred);
    const ended = hasEnded && onEnd !== undefined ? await readEndedReport(trx, reportId) : null;
    return { result, ended, readers: deferred.isUnchanged ? [] : [reportId, locked.account_id, locked.payer_id] };
  });
  if (done !== undefined) await announceChanges(db, done.readers);
  if (done !== undefined && done.ended !== null) onEnd?.(done.ended);
  return done?.result;
}

/** @param row of `reports` */
function measureOf({ standard, best_practices }: Measure): Measure {
  return { standard, best_practices };
}

function changeOf(
  trx: Transaction<Schema>,
  of: Pick<ReportTransaction, 'reportId' | 'payerId' | 'measure'>,
  deferred: Deferred,
): ReportTransaction {
  const add = (kind: CheckKind, counts: Partial<CheckCounts>, sign: 1 | -1): void => {
    const sums = { ...(deferred.counts.get(kind) ?? NO_CHECKS) };
    for (const name of CHECK_COUNTS) sums[name] += sign * (counts[name] ?? 0);
    deferred.counts.set(kind, sums);
  };
  const addPages = ({ checked, passed }: PageCounts, sign: 1 | -1): void => {
    const { pages } = deferred;
    deferred.pages = { checked: pages.checked + sign * checked, passed: pages.passed + sign * passed };
  };
  return {
    ...of,
    trx,
    count: (kind, counts) => add(kind, counts, 1),
    uncount: (kind, counts) => add(kind, counts, -1),
    countPages: (pages) => addPages(pages, 1),
    uncountPages: (pages) => addPages(pages, -1),
    markChecked: () => {
      deferred.isChecked = true;
    },
    takeCredits: (wanted, reason) => {
      deferred.hasTakenCredits ||= wanted > 0;
      return takeReportCredits(trx, of.reportId, wanted, reason);
    },
    dropDocuments: (hashes) => void deferred.documents.push(...hashes.filter((hash) => hash !== null)),
    refund: (payments) => void deferred.payments.push(...payments),
    announce: (...topics) => {
      for (const topic of topics) deferred.topics.add(topic);
    },
    markUnchanged: () => {
      deferred.isUnchanged = true;
    },
    markInsightsChanged: () => {
      deferred.areInsightsChanged = true;
    },
    markResultsKept: () => {
      deferred.areResultsKept = true;
    },
  };
}

/** @returns whether the report has ended for the first time */
async function finish(trx: Transaction<Schema>, reportId: string, deferred: Deferred): Promise<boolean> {
  let ends = false;
  for (const [kind, counts] of deferred.counts) await addCounts(trx, reportId, kind, counts);
  await addPageCounts(trx, reportId, deferred.pages);
  if (deferred.areInsightsChanged) await touch(trx, reportId);
  else if (deferred.areResultsKept) await touch(trx, reportId, sql`, updated_at = now()`);
  else if (!deferred.isUnchanged) {
    const { isFinished, hasEnded, hasFinishedFirst } = await updateStatus(trx, reportId, deferred.isChecked);
    if (isFinished) deferred.topics.add('insights');
    if (hasEnded || hasFinishedFirst) await recordEnd(trx, reportId);
    if (hasEnded) await recordReportEnd(trx, reportId);
    if (isFinished || hasEnded) await removeSession(trx, reportId);
    ends = hasEnded;
  }
  if (deferred.hasTakenCredits && deferred.documents.length > 0) {
    throw new Error('Documents must be locked before accounts');
  }
  await removeUnreferencedDocuments(trx, deferred.documents);
  await refund(trx, reportId, deferred.payments);
  await announceWork(trx, deferred.topics);
  return ends;
}

async function addCounts(
  trx: Transaction<Schema>,
  reportId: string,
  kind: CheckKind,
  counts: CheckCounts,
): Promise<void> {
  const columns = CHECK_COUNTS.map((name) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${counts[name]}`);
  await sql`UPDATE report_checks SET ${sql.join(columns)} WHERE report_id = ${reportId} AND kind = ${kind}`.execute(
    trx,
  );
}

async function addPageCounts(trx: Transaction<Schema>, reportId: string, pages: PageCounts): Promise<void> {
  if (pages.checked === 0 && pages.passed === 0) return;
  await trx
    .updateTable('reports')
    .set((eb) => ({
      checked_pages: eb('checked_pages', '+', pages.checked),
      passed_pages: eb('passed_pages', '+', pages.passed),
    }))
    .where('id', '=', reportId)
    .execute();
}

/** Makes readers of changes read the report again, without a new state that would require new insights. */
async function touch(trx: Transaction<Schema>, reportId: string, more = sql``): Promise<void> {
  await sql`UPDATE reports SET changed_xid = pg_current_xact_id() ${more} WHERE id = ${reportId}`.execute(trx);
}

/**
 * Updates the report's status and times according to the remaining work: `finished` when neither the spider nor an engine has any
 * left, `failed` when the crawl found no page that could be checked. The insights of a finished report have to be computed
 * (again).
 * @returns whether the report is finished, and whether it has ended or finished for the first time
 */
async function updateStatus(
  trx: Transaction<Schema>,
  reportId: string,
  isChecked: boolean,
): Promise<{ readonly isFinished: boolean; readonly hasEnded: boolean; readonly hasFinishedFirst: boolean }> {
  const { rows } = await sql<{ isFinished: boolean; hasEnded: boolean; hasFinishedFirst: boolean }>`
    WITH progress AS (
      SELECT coalesce(sum(pending), 0) AS pending FROM report_checks WHERE report_id = ${reportId}
    ), next AS (
      SELECT CASE
        WHEN r.crawl_pending AND r.status = 'pending' THEN 'pending'
        WHEN r.crawl_pending AND r.finished_at IS NULL THEN 'crawling'
        WHEN r.crawl_pending OR progress.pending > 0 THEN 'checking'
        WHEN r.crawl_failed THEN 'failed'
        ELSE 'finished'
      END AS status
      FROM reports r, progress WHERE r.id = ${reportId}
    )
    UPDATE reports r SET status = next.status, updated_at = now(), results_at = now(), insights_pending = next.status = 'finished',
      changed_xid = pg_current_xact_id(), end_results_at = CASE WHEN r.first_finished_at IS NULL THEN now() ELSE r.end_results_at END,
      first_finished_at = coalesce(r.first_finished_at, CASE next.status WHEN 'finished' THEN now() END),
      last_checked_at = CASE WHEN ${isChecked} THEN now() ELSE r.last_checked_at END,
      finished_at = CASE WHEN next.status IN ('finished', 'failed') THEN coalesce(r.finished_at, now()) ELSE r.finished_at END
    FROM next WHERE r.id = ${reportId}
    RETURNING new.insights_pending AS "isFinished",
      old.finished_at IS NULL AND new.finished_at IS NOT NULL AS "hasEnded",
      old.first_finished_at IS NULL AND new.first_finished_at IS NOT NULL AS "hasFinishedFirst"`.execute(trx);
  return rows[0] ?? { isFinished: false, hasEnded: false, hasFinishedFirst: false };
}
