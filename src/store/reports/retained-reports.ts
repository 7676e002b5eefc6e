import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { BASELINE_TAG, type RetainedReport, type RetentionRule } from '../../domain/retention.ts';
import { AppError } from '../../platform/errors.ts';
import type { Executor } from '../database.ts';
import type { Schema } from '../schema.ts';
import { isComplete } from './complete-reports.ts';

/** Returns the rules of an account; empty if it has none. */
export async function readRules(db: Executor, accountId: string): Promise<readonly RetentionRule[]> {
  const row = await db.selectFrom('accounts').select('retention').where('id', '=', accountId).executeTakeFirst();
  return row?.retention ?? [];
}

export async function saveRules(db: Executor, accountId: string, rules: readonly RetentionRule[]): Promise<void> {
  const retention = JSON.stringify(rules);
  await db.updateTable('accounts').set({ retention, updated_at: sql`now()` }).where('id', '=', accountId).execute();
}

/** Returns the accounts in use with rules. */
export async function accountsWithRules(db: Executor): Promise<{ id: string; retention: readonly RetentionRule[] }[]> {
  return db
    .selectFrom('accounts')
    .select(['id', 'retention'])
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`retention <> '[]'`)
    .orderBy('id')
    .execute();
}

const isBaseline = sql<boolean>`EXISTS (SELECT FROM unnest(reports.tags) AS tag WHERE lower(tag) = ${BASELINE_TAG})`;

const isNeeded = sql<boolean>`EXISTS (SELECT FROM sites s WHERE s.id = reports.site_id
  AND reports.id IN (s.attention_report_id, s.attention_since_id, s.acknowledged_report_id))`;

const hasEnded = sql<boolean>`(reports.status IN ('finished', 'failed') AND NOT reports.insights_pending)`;

/** Returns the reports of an account, as retention sees them, without temporary ones. */
export async function retainedReports(db: Executor, accountId: string): Promise<RetainedReport[]> {
  return db
    .selectFrom('reports')
    .select(['id', 'site_id as siteId', 'schedule_id as scheduleId', 'tags', 'inserted_at as createdAt'])
    .select(['shared as isShared'])
    .select(hasEnded.as('hasEnded'))
    .select(isBaseline.as('isBaseline'))
    .select(isNeeded.as('isNeeded'))
    .select(sql<boolean>`${isComplete('reports')}`.as('isComplete'))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('temporary', '=', false)
    .execute();
}

/**
 * Whether a report that these rules of its account did not keep can still be deleted: the rules are unchanged, the account is in
 * use, and rules do not have to spare the report.
 */
export async function isStillDeletable(
  db: Executor,
  reportId: string,
  rules: readonly RetentionRule[],
): Promise<boolean> {
  const newer = sql`SELECT FROM reports n WHERE n.site_id = reports.site_id AND n.account_id = reports.account_id
    AND n.deleted_at IS NULL AND NOT n.temporary AND (n.inserted_at, n.id) > (reports.inserted_at, reports.id)`;
  const { rows } = await sql`
    SELECT FROM reports JOIN accounts a ON a.id = reports.account_id
    WHERE reports.id = ${reportId} AND a.retention = ${JSON.stringify(rules)}::jsonb AND a.disabled_at IS NULL
      AND ${hasEnded} AND NOT reports.shared AND NOT ${isBaseline} AND NOT ${isNeeded}
      AND EXISTS (${newer}) AND (NOT ${isComplete('reports')} OR EXISTS (${newer} AND ${isComplete('n')}))`.execute(db);
  return rows.length > 0;
}

/**
 * Refuses to delete schedules that a retention rule of their account names: their reports would fall under other rules, which may
 * delete them.
 * @param condition a condition on the row `s` of `schedules`
 * @throws AppError conflict
 */
export async function requireNoRuleNames(trx: Transaction<Schema>, condition: RawBuilder<SqlBool>): Promise<void> {
  const { rows } = await sql`
    SELECT FROM schedules s JOIN accounts a ON a.id = s.account_id
    CROSS JOIN LATERAL jsonb_array_elements(a.retention) AS rule
    WHERE ${condition} AND rule->>'schedule_id' = s.id::text LIMIT 1`.execute(trx);
  if (rows.length > 0)
    throw new AppError(
      'conflict',
      'A retention rule keeps reports of this schedule. Remove the rule first, or deactivate the schedule instead.',
    );
}

/** Builds the condition that the schedule `s` belongs to a site, but has created reports that belong to other sites. */
export function hasReportsElsewhere(siteId: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`s.site_id = ${siteId} AND EXISTS (
    SELECT FROM reports r WHERE r.schedule_id = s.id AND r.site_id <> s.site_id AND r.deleted_at IS NULL)`;
}

/** Returns the reports with these ids for display, oldest first. */
export async function reportsToShow(
  db: Executor,
  ids: readonly string[],
): Promise<{ id: string; starting_url: string; site_name: string; inserted_at: Date }[]> {
  return db
    .selectFrom('reports')
    .select(['id', 'starting_url', 'inserted_at'])
    .select(sql<string>`(SELECT s.name FROM sites s WHERE s.id = reports.site_id)`.as('site_name'))
    .where(sql<boolean>`id = ANY(${[...ids]}::uuid[])`)
    .orderBy('id')
    .execute();
}

/** What the deletion of some reports frees. */
export interface ReportsSize {
  /** The space that is freed: documents and screenshots that other reports have stay. */
  readonly bytes: number;
  /**
   * Whether this is only an upper bound, because there are too many pages to find out which documents and screenshots other
   * reports have.
   */
  readonly isUpperBound: boolean;
}

/** The maximum number of pages whose documents and screenshots are looked up in other reports. */
const EXACT_PAGES_MAX = 50_000;

/** Returns what the deletion of some reports frees. */
export async function sizeOfReports(db: Executor, ids: readonly string[]): Promise<ReportsSize> {
  const of = sql`${[...ids]}::uuid[]`;
  const { rows } = await sql<{ results: number; shared: number; pages: number }>`
    SELECT coalesce(sum(z.results_bytes), 0)::bigint AS results,
      coalesce(sum(z.documents_bytes + z.screenshots_bytes), 0)::bigint AS shared,
      coalesce(sum(r.num_pages), 0)::bigint AS pages
    FROM reports r LEFT JOIN report_sizes z ON z.report_id = r.id WHERE r.id = ANY(${of})`.execute(db);
  const { results = 0, shared = 0, pages = 0 } = rows[0] ?? {};
  if (pages > EXACT_PAGES_MAX) return { bytes: results + shared, isUpperBound: true };
  const isElsewhere = sql`p.report_id <> ALL(${of})`;
  const { rows: freed } = await sql<{ bytes: number }>`
    SELECT (SELECT coalesce(sum(pg_column_size(d.body)), 0) FROM documents d
        WHERE d.hash IN (SELECT document_hash FROM web_pages p WHERE p.report_id = ANY(${of}))
          AND NOT EXISTS (SELECT FROM web_pages p WHERE p.document_hash = d.hash AND ${isElsewhere}))
      + (SELECT coalesce(sum(pg_column_size(i.image)), 0) FROM screenshot_images i
        WHERE i.hash IN (SELECT s.image_hash FROM screenshots s JOIN web_pages p ON p.id = s.web_page_id
            WHERE p.report_id = ANY(${of}))
          AND NOT EXISTS (SELECT FROM screenshots s JOIN web_pages p ON p.id = s.web_page_id
            WHERE s.image_hash = i.hash AND ${isElsewhere})) AS bytes`.execute(db);
  return { bytes: results + Number(freed[0]?.bytes ?? 0), isUpperBound: false };
}
