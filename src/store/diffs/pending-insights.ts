import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Executor } from '../database.ts';
import { previousReport } from '../reports/previous-report.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';
import type { ResultsAt } from '../reports/results-at-end.ts';

/**
 * When the results of a report, now or at its end, last changed, as PostgreSQL writes it: JavaScript dates have no microseconds.
 */
export type ReportState = string;

/** A finished report whose insights have to be computed. */
export interface PendingReport {
  readonly id: string;
  /** The state that the insights are for. */
  readonly state: ReportState;
}

const isUnclaimed = sql`
  insights_pending AND deleted_at IS NULL AND (insights_claimed_until IS NULL OR insights_claimed_until < now())`;

/**
 * Claims the latest finished report that waits for its insights, for `seconds`; undefined if none is free. The latest comes first
 * because the insights of all reports may be computed again after an upgrade, and newly finished reports must not wait for that.
 */
export async function claimPendingInsights(db: Executor, seconds: number): Promise<PendingReport | undefined> {
  const { rows } = await sql<PendingReport>`
    UPDATE reports SET insights_claimed_until = now() + make_interval(secs => ${seconds})
    WHERE id = (
      SELECT id FROM reports
      WHERE ${isUnclaimed}
      ORDER BY finished_at DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING id, results_at::text AS state`.execute(db);
  return rows[0];
}

/** Extends the claim of a report whose insights are being computed, from now on. Does nothing after they are computed. */
export async function extendInsightsClaim(db: Executor, reportId: string, seconds: number): Promise<void> {
  await sql`UPDATE reports SET insights_claimed_until = now() + make_interval(secs => ${seconds})
    WHERE id = ${reportId} AND insights_pending AND insights_claimed_until IS NOT NULL`.execute(db);
}

/** Whether any report waits for its insights and is not claimed. */
export async function insightsWait(db: Executor): Promise<boolean> {
  return (await sql`SELECT FROM reports WHERE ${isUnclaimed} LIMIT 1`.execute(db)).rows.length > 0;
}

/** Returns the state of the results of a report now or at its end; undefined if the report was deleted. */
export async function stateOf(db: Executor, reportId: string, at: ResultsAt): Promise<ReportState | undefined> {
  const column = sql.ref(at === 'end' ? 'end_results_at' : 'results_at');
  const { rows } = await sql<{ state: ReportState }>`
    SELECT ${column}::text AS state FROM reports WHERE id = ${reportId} AND deleted_at IS NULL`.execute(db);
  return rows[0]?.state;
}

/**
 * Marks the insights of a report as computed, unless it or the previous report has changed in the meantime. Ends the claim.
 * @param isSaved whether all of them could be saved
 * @param previous the report that it was compared with, and its state at that time; undefined for none
 */
export async function markInsightsComputed(
  { trx, reportId }: ReportTransaction,
  state: ReportState,
  previous: { readonly withId: string; readonly withState: ReportState } | undefined,
  isSaved: boolean,
): Promise<void> {
  const before = await previousReport(trx, reportId);
  const beforeState = before && (await stateOf(trx, before.id, 'end'));
  const isStale = !isSaved || before?.id !== previous?.withId || beforeState !== previous?.withState;
  await sql`UPDATE reports SET insights_pending = ${isStale} OR results_at <> ${state}::timestamptz,
    insights_claimed_until = NULL WHERE id = ${reportId}`.execute(trx);
}

/** Whether a row of diffs shows what got worse before the newest report of a site. */
export function isOfAttention(diff: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`EXISTS (
    SELECT FROM reports r JOIN sites s ON s.id = r.site_id
    WHERE r.id = ${diff}.report_id AND s.attention_report_id = r.id AND s.attention_since_id = ${diff}.with_id)`;
}

/** Whether the two reports of a row of diffs are compared again when one of them changes. */
export function isComparedAgain(diff: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`(${diff}.is_previous OR ${isOfAttention(diff)})`;
}

/**
 * Marks reports to be compared again: reports that were compared with a former state of a report, and the report that follows it,
 * if the latter was compared with an earlier one because this report ended later.
 */
export async function compareLaterReports(db: Database, withId: string): Promise<void> {
  await requestInsights(
    db,
    sql`NOT insights_pending AND id IN (
    SELECT c.report_id FROM diffs c JOIN reports w ON w.id = c.with_id
    WHERE c.with_id = ${withId} AND ${isComparedAgain(sql`c`)} AND (c.with_state <> w.end_results_at OR w.deleted_at IS NOT NULL)
    UNION ALL
    SELECT next.id FROM reports w CROSS JOIN LATERAL (
      SELECT id FROM reports
      WHERE site_id = w.site_id AND (inserted_at, id) > (w.inserted_at, w.id)
        AND first_finished_at IS NOT NULL AND deleted_at IS NULL
      ORDER BY inserted_at, id LIMIT 1
    ) next
    WHERE w.id = ${withId} AND w.deleted_at IS NULL
      AND NOT EXISTS (SELECT FROM diffs c WHERE c.report_id = next.id AND c.with_id = w.id AND c.is_previous))`,
  );
}

/**
 * Marks the finished reports that match a condition, so that their insights are computed again. They are locked in the order of
 * their ids to avoid deadlocks.
 */
export async function requestInsights(db: Executor, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    UPDATE reports SET insights_pending = true
    FROM (SELECT id FROM reports WHERE status = 'finished' AND ${which} ORDER BY id FOR NO KEY UPDATE) locked
    WHERE reports.id = locked.id`.execute(db);
}
