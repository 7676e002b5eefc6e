import { type RawBuilder, sql } from 'kysely';
import { CHANGES, type Change, DECISION_EFFECTS, type DecisionEffects } from '../../../packages/client/changes.ts';
import type { CheckKind } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import type { ResultsAt } from '../reports/results-at-end.ts';
import { pageCounts } from './page-changes.ts';
import { type ShownChange, shownChange } from './shown-change.ts';

/** Returns how many occurrences of a row of `issue_changes` have the given change. */
export function occurrencesOf(change: Change): RawBuilder<number> {
  return sql<number>`coalesce((occurrences->>${sql.lit(change)})::bigint, 0)`;
}

/** Adds up the changes by decisions in rows of `issue_changes`, as JSON. */
export function decidedSums(): RawBuilder<DecisionEffects> {
  const sums = DECISION_EFFECTS.map(
    (effect) => sql`${sql.lit(effect)}, coalesce(sum((decided->>${sql.lit(effect)})::bigint), 0)`,
  );
  return sql`jsonb_build_object(${sql.join(sums)})`;
}

/** Sums rows of `issue_changes` into the totals of a diff. */
export const TOTALS = sql`
  ${sql.join(CHANGES.map((change) => sql`coalesce(sum(${occurrencesOf(change)}), 0) AS ${sql.ref(change)}`))},
  ${decidedSums()} AS decided,
  coalesce(sum(worse) FILTER (WHERE issue_type = 'error' AND impact = 'critical'), 0) AS worse_critical,
  coalesce(sum(worse) FILTER (WHERE issue_type = 'error'), 0) AS worse_errors`;

/** The changes since the previous report of the site, including what got worse. */
export interface ChangeCounts extends ShownChange {
  /** New and regressed errors that other settings of the report do not explain. */
  readonly new_errors: number;
  /** Critical errors among them. */
  readonly new_critical: number;
}

function changeJson(totals: RawBuilder<unknown>, pages: RawBuilder<unknown>): RawBuilder<ChangeCounts> {
  return sql`${shownChange(totals, pages)}
    || jsonb_build_object('new_errors', ${totals}.worse_errors, 'new_critical', ${totals}.worse_critical)`;
}

/**
 * Selects the change of a report of the row of `sites` as JSON; null before it is compared, or without a previous report that the
 * account can read: a host can read the reports that its guest created while a guest.
 * @param run the row of `reports`
 * @param at which results of the report
 * @param kinds the kinds of check whose occurrences count; null for all kinds, whose totals are stored
 */
export function changeOfRun(
  run: 'last' | 'run',
  at: ResultsAt,
  accountId: string,
  kinds: readonly CheckKind[] | null,
): RawBuilder<ChangeCounts | null> {
  const totals = kinds === null ? sql`c` : sql`t`;
  const pages = kinds === null ? sql`c` : sql`p`;
  const isOf = sql.ref(at === 'end' ? 'c.is_end' : 'c.is_now');
  const report = sql.ref(run);
  return sql`(
    SELECT ${changeJson(totals, pages)}
    FROM diffs c ${kinds === null ? sql`` : totalsOf(kinds, at)} WHERE c.report_id = ${report}.id AND c.is_previous AND ${isOf}
      AND (sites.account_id = ${accountId} OR EXISTS (
        SELECT FROM reports w WHERE w.id = c.with_id AND w.guest_account_id = ${report}.guest_account_id)))`;
}

/** Selects what got worse in the diff `c`. @param kinds the kinds of check that count; null for all of them */
export function worseOf(kinds: readonly CheckKind[] | null): RawBuilder<object> {
  const [totals, pages] = kinds === null ? [sql`c`, sql`c`] : [sql`t`, sql`p`];
  return sql`
    SELECT ${totals}.worse_errors AS new_errors, ${totals}.worse_critical AS new_critical, ${pages}.broken_pages
    FROM (SELECT) nothing ${kinds === null ? sql`` : totalsOf(kinds, 'now')}`;
}

/**
 * Returns how many occurrences and pages have changed since the previous report, and the id of the diff and of that report;
 * undefined before they are compared, and without a previous report.
 * @param kinds the kinds of check that count
 */
export async function changesSincePrevious(
  db: Executor,
  reportId: string,
  kinds: readonly CheckKind[],
): Promise<{ readonly id: number; readonly withId: string; readonly change: ChangeCounts } | undefined> {
  const { rows } = await sql<{ id: number; withId: string; change: ChangeCounts }>`
    SELECT c.id, c.with_id AS "withId", ${changeJson(sql`t`, sql`p`)} AS change
    FROM diffs c ${totalsOf(kinds, 'end')} WHERE c.report_id = ${reportId} AND c.is_previous AND c.is_end`.execute(db);
  return rows[0];
}

/** Joins the diff `c` with its totals for some kinds of check as `t`, and with its counts of pages as `p`. */
function totalsOf(kinds: readonly CheckKind[], at: ResultsAt): RawBuilder<unknown> {
  return sql`CROSS JOIN LATERAL (SELECT ${TOTALS} FROM issue_changes WHERE diff_id = c.id AND kind = ANY(${kinds})) t
    CROSS JOIN LATERAL (${pageCounts(sql.ref('c.report_id'), sql.ref('c.with_id'), at, kinds)}) p`;
}
