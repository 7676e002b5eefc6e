import { type RawBuilder, sql } from 'kysely';
import type { DecisionEffects } from '../../../packages/client/changes.ts';

/** How many occurrences of issues, and pages, have changed since the previous report of the site. */
export interface ShownChange {
  readonly new: number;
  readonly fixed: number;
  /** Occurrences that had been fixed in an earlier report. */
  readonly regressed: number;
  /** Occurrences of an earlier report on pages that the previous report did not check. */
  readonly not_checked_before: number;
  /** Occurrences of the previous report that were not looked for. */
  readonly unverified: number;
  /** Occurrences that decisions have changed, by effect. */
  readonly decided: DecisionEffects;
  /** Pages that could be checked in the previous report, but not in this report. */
  readonly broken_pages: number;
  /** Pages that could not be checked in the previous report, but could in this report. */
  readonly recovered_pages: number;
}

/** Selects a change as JSON. @param totals the totals of occurrences, as in the row of a diff @param pages the same for pages */
export function shownChange(totals: RawBuilder<unknown>, pages: RawBuilder<unknown>): RawBuilder<ShownChange> {
  return sql`jsonb_build_object('new', ${totals}.new, 'fixed', ${totals}.fixed, 'regressed', ${totals}.regressed,
    'not_checked_before', ${totals}.not_checked_before, 'unverified', ${totals}.unverified, 'decided', ${totals}.decided,
    'broken_pages', ${pages}.broken_pages, 'recovered_pages', ${pages}.recovered_pages)`;
}

/**
 * Selects the change of a report at its end as JSON, for all kinds of check; null before it is compared, and without a previous
 * report.
 * @param reportId an expression for the report id of the statement's current row
 */
export function changeOfReport(reportId: RawBuilder<unknown>): RawBuilder<ShownChange | null> {
  return sql`(SELECT ${shownChange(sql`c`, sql`c`)} FROM diffs c WHERE c.report_id = ${reportId} AND c.is_previous AND c.is_end)`;
}
