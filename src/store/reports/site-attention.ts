import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import { worseOf } from '../diffs/change-totals.ts';
import type { Schema } from '../schema.ts';
import { isFull } from './complete-reports.ts';
import { previous } from './previous-report.ts';

/** What got worse between two reports of a site and has neither been fixed, nor muted, nor acknowledged. */
export interface Unacknowledged {
  /** The later report. */
  readonly report_id: string;
  /** The earlier report. */
  readonly since_report_id: string;
  /** When the earlier report finished, with a time zone. */
  readonly since: string;
  readonly new_errors: number;
  readonly new_critical: number;
  readonly broken_pages: number;
}

/**
 * Selects what got worse in the last report of the row of `sites`, or in earlier reports if that is more; null if nothing got
 * worse.
 * @param kinds the kinds of check whose occurrences count; null for all of them
 */
export function unacknowledged(
  accountId: string,
  kinds: readonly CheckKind[] | null,
): RawBuilder<Unacknowledged | null> {
  const lastCounts = sql<SqlBool>`c.report_id = last.id AND c.is_previous AND last.id IS DISTINCT FROM sites.acknowledged_report_id
    AND (sites.account_id = ${accountId} OR w.guest_account_id = last.guest_account_id)`;
  const earlierCount = sql<SqlBool>`c.report_id = sites.attention_report_id AND c.with_id = sites.attention_since_id
    AND sites.account_id = ${accountId}`;
  const worse = (condition: RawBuilder<SqlBool>, rank: number) => sql`
    SELECT ${sql.lit(rank)} AS rank, c.report_id, c.with_id AS since_report_id, w.finished_at AS since, worse.*
    FROM diffs c JOIN reports r ON r.id = c.report_id JOIN reports w ON w.id = c.with_id
      CROSS JOIN LATERAL (${worseOf(kinds)}) worse
    WHERE c.is_now AND r.deleted_at IS NULL AND w.deleted_at IS NULL AND ${condition}`;
  return sql`(
    SELECT to_jsonb(u) - 'rank' FROM (${worse(earlierCount, 1)} UNION ALL ${worse(lastCounts, 2)}) u
    WHERE greatest(new_errors, new_critical, broken_pages) > 0 ORDER BY new_critical DESC, new_errors DESC, broken_pages DESC, rank LIMIT 1)`;
}

/** The attention that a site needed before its newest report. */
interface EarlierAttention {
  readonly siteId: string;
  readonly isFull: boolean;
  readonly previousId: string | null;
  readonly attentionReportId: string | null;
  /** The report from which attention is measured; null if it was deleted. */
  readonly attentionSinceId: string | null;
  /** The first report of the site. */
  readonly firstId: string;
  /** Whether anything that got worse up to `attentionReportId` still exists. */
  readonly isStill: boolean;
  /** The report before the previous one, if the previous one got worse and was not acknowledged. */
  readonly beforePreviousId: string | null;
}

/**
 * Keeps changes for the worse from before the newest report of a site in view: chooses the report with which the newest one is
 * compared to find what still exists. Nothing changes for other reports, and nothing is forgotten because of a report that did
 * not check as much as usual. Can be repeated.
 * @returns the other report; undefined if none is needed
 */
export async function keepAttention(db: Executor, reportId: string): Promise<string | undefined> {
  const before = await earlierAttention(db, reportId);
  if (before === undefined) return undefined;
  const { siteId, previousId, attentionReportId } = before;
  const since = before.attentionSinceId ?? (before.firstId === attentionReportId ? null : before.firstId);
  if (attentionReportId === reportId || (attentionReportId !== null && before.isStill && before.isFull)) {
    await setAttention(db, siteId, since === null ? null : { reportId, sinceId: since });
    return since ?? undefined;
  }
  // A partial report proves nothing about the pages that it left out.
  if (before.isStill) return undefined;
  const { beforePreviousId } = before;
  if (beforePreviousId === null || previousId === null) {
    await setAttention(db, siteId, null);
    return undefined;
  }
  await setAttention(db, siteId, { reportId: before.isFull ? reportId : previousId, sinceId: beforePreviousId });
  return before.isFull ? beforePreviousId : undefined;
}

/** @returns undefined for a report that is not the newest one of its site */
async function earlierAttention(db: Executor, reportId: string): Promise<EarlierAttention | undefined> {
  const shown = (row: string) => sql<SqlBool>`${sql.ref(`${row}.first_finished_at`)} IS NOT NULL
    AND ${sql.ref(`${row}.deleted_at`)} IS NULL AND NOT ${sql.ref(`${row}.temporary`)}`;
  const { rows } = await sql<EarlierAttention>`
    SELECT sites.id AS "siteId", EXISTS (SELECT FROM reports WHERE id = ${reportId} AND ${isFull}) AS "isFull", (${previous}->>'id')::uuid AS "previousId",
      sites.attention_report_id AS "attentionReportId",
      (SELECT s.id FROM reports s WHERE s.id = sites.attention_since_id AND s.deleted_at IS NULL) AS "attentionSinceId",
      (SELECT f.id FROM reports f WHERE f.site_id = sites.id AND ${shown('f')} ORDER BY f.inserted_at, f.id LIMIT 1) AS "firstId",
      EXISTS (
        SELECT FROM diffs c JOIN reports r ON r.id = c.report_id
        WHERE c.report_id = sites.attention_report_id AND c.with_id = sites.attention_since_id AND c.is_now AND r.deleted_at IS NULL
          AND c.worse_errors + c.broken_pages > 0) AS "isStill",
      (SELECT c.with_id FROM diffs c
        WHERE c.report_id = (${previous}->>'id')::uuid AND c.is_previous AND c.is_now AND c.worse_errors + c.broken_pages > 0
          AND c.report_id IS DISTINCT FROM sites.acknowledged_report_id) AS "beforePreviousId"
    FROM reports JOIN sites ON sites.id = reports.site_id
    WHERE reports.id = ${reportId} AND ${shown('reports')} AND NOT EXISTS (
      SELECT FROM reports later WHERE later.site_id = sites.id AND ${shown('later')}
        AND (later.inserted_at, later.id) > (reports.inserted_at, reports.id))`.execute(db);
  return rows[0];
}

async function setAttention(
  db: Executor,
  siteId: string,
  attention: { readonly reportId: string; readonly sinceId: string } | null,
): Promise<void> {
  await sql`
    UPDATE sites SET attention_report_id = ${attention?.reportId ?? null}, attention_since_id = ${attention?.sinceId ?? null}
    WHERE id = ${siteId}`.execute(db);
}

/**
 * Acknowledges what the newest ended report of a site found: the site no longer needs attention.
 * @returns false if it was already acknowledged, or if there is no such report
 */
export async function acknowledge(trx: Transaction<Schema>, siteId: string): Promise<boolean> {
  const { rows } = await sql`
    UPDATE sites SET acknowledged_at = now(), acknowledged_report_id = newest.id, attention_report_id = NULL, attention_since_id = NULL
    FROM (
      SELECT id FROM reports WHERE site_id = ${siteId} AND finished_at IS NOT NULL AND deleted_at IS NULL AND NOT temporary
      ORDER BY inserted_at DESC, id DESC LIMIT 1
    ) newest
    WHERE sites.id = ${siteId} AND newest.id IS DISTINCT FROM sites.acknowledged_report_id RETURNING sites.id`.execute(
    trx,
  );
  return rows.length > 0;
}
