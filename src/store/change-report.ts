import { sql, type Transaction } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import type { CrawlClaim } from '../domain/crawl.ts';
import { type Payment, refund, type Taking, takeReportCredits } from './credits.ts';
import { type Executor, inTransaction } from './database.ts';
import { removeUnreferencedDocuments } from './documents.ts';
import { CHECK_COUNTS, type CheckCounts, NO_CHECKS } from './issue-counts.ts';
import type { CreditReason, Schema } from './schema.ts';
import { announceWork, type WorkTopic } from './work-topics.ts';

/** A report that is locked and being changed. What its methods note is done at the end of the change, in one order. */
export interface ReportChange {
  readonly trx: Transaction<Schema>;
  readonly reportId: string;
  /** Adds to the report's counts of a kind of check. */
  count(kind: CheckKind, counts: Partial<CheckCounts>): void;
  /** Takes off the report's counts of a kind of check. */
  uncount(kind: CheckKind, counts: Partial<CheckCounts>): void;
  /** Notes that checks ended just now. */
  checked(): void;
  /** Takes credits for the report at once, as many as there are. Nothing may store or remove documents from here on. */
  takeCredits(wanted: number, reason: CreditReason): Promise<Taking>;
  /** Removes documents that no page refers to any more. */
  dropDocuments(hashes: readonly (Buffer | null)[]): void;
  /** Gives back what was paid for checks that never ran. */
  refund(payments: readonly Payment[]): void;
  /** Tells every worker that there is something to do. */
  announce(...topics: WorkTopic[]): void;
  /** Notes that there was nothing to change after all: the report's status and times stay as they are. */
  leave(): void;
}

/** What is left to do at the end of a change. */
interface Noted {
  readonly counts: Map<CheckKind, CheckCounts>;
  readonly documents: Buffer[];
  readonly payments: Payment[];
  readonly topics: Set<WorkTopic>;
  isChecked: boolean;
  hasTakenCredits: boolean;
  isLeft: boolean;
}

/**
 * Changes a report and everything in it: the one way to do so. Opens a transaction or joins the one under way, and locks the
 * report first, so that changes of one report come one after the other. When `work` is done, moves the report's counts, settles
 * its status and times, removes documents, refunds, and wakes workers.
 *
 * Locks are taken in the order report, documents, guest account, account.
 * @param report a claim instead of an id: only while it is the current claim of the report's crawl
 * @returns what `work` returns; undefined when the report was deleted or the claim is lost, and nothing has happened then
 */
export function changeReport<Result>(
  db: Executor,
  report: string | CrawlClaim,
  work: (change: ReportChange) => Promise<Result>,
): Promise<Result | undefined> {
  return inTransaction(db, async (trx) => {
    const claim = typeof report === 'string' ? undefined : report;
    const reportId = typeof report === 'string' ? report : report.reportId;
    const locked = await trx
      .selectFrom('reports')
      .select('crawl_claim_id')
      .where('id', '=', reportId)
      .where('deleted_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (locked === undefined || (claim !== undefined && locked.crawl_claim_id !== claim.claimId)) return undefined;
    const noted: Noted = {
      ...{ counts: new Map(), documents: [], payments: [], topics: new Set() },
      ...{ isChecked: false, hasTakenCredits: false, isLeft: false },
    };
    const result = await work(changeOf(trx, reportId, noted));
    await finish(trx, reportId, noted);
    return result;
  });
}

function changeOf(trx: Transaction<Schema>, reportId: string, noted: Noted): ReportChange {
  const move = (kind: CheckKind, counts: Partial<CheckCounts>, sign: 1 | -1): void => {
    const moved = { ...(noted.counts.get(kind) ?? NO_CHECKS) };
    for (const name of CHECK_COUNTS) moved[name] += sign * (counts[name] ?? 0);
    noted.counts.set(kind, moved);
  };
  return {
    trx,
    reportId,
    count: (kind, counts) => move(kind, counts, 1),
    uncount: (kind, counts) => move(kind, counts, -1),
    checked: () => {
      noted.isChecked = true;
    },
    takeCredits: (wanted, reason) => {
      noted.hasTakenCredits ||= wanted > 0;
      return takeReportCredits(trx, reportId, wanted, reason);
    },
    dropDocuments: (hashes) => void noted.documents.push(...hashes.filter((hash) => hash !== null)),
    refund: (payments) => void noted.payments.push(...payments),
    announce: (...topics) => {
      for (const topic of topics) noted.topics.add(topic);
    },
    leave: () => {
      noted.isLeft = true;
    },
  };
}

async function finish(trx: Transaction<Schema>, reportId: string, noted: Noted): Promise<void> {
  for (const [kind, counts] of noted.counts) await moveCounts(trx, reportId, kind, counts);
  if (!noted.isLeft) await settle(trx, reportId, noted.isChecked);
  if (noted.hasTakenCredits && noted.documents.length > 0) throw new Error('Documents are locked before accounts');
  await removeUnreferencedDocuments(trx, noted.documents);
  await refund(trx, reportId, noted.payments);
  await announceWork(trx, noted.topics);
}

async function moveCounts(
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

/**
 * Brings the report's status and times in line with what is left to do: `finished` when neither the spider nor a checker has
 * anything left, `failed` when the crawl found no page that could be checked.
 */
async function settle(trx: Transaction<Schema>, reportId: string, isChecked: boolean): Promise<void> {
  await sql`
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
    UPDATE reports r SET status = next.status, updated_at = now(),
      last_checked_at = CASE WHEN ${isChecked} THEN now() ELSE r.last_checked_at END,
      finished_at = CASE WHEN next.status IN ('finished', 'failed') AND r.status NOT IN ('finished', 'failed')
        THEN now() ELSE r.finished_at END
    FROM next WHERE r.id = ${reportId}`.execute(trx);
}
