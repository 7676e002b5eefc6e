import { type RawBuilder, sql } from 'kysely';

/** How many places of issues have changed since the previous report of the site. */
export interface ChangeCounts {
  readonly new: number;
  readonly fixed: number;
  /** Places that had been fixed in an earlier report. */
  readonly regressed: number;
  /** New and regressed errors. */
  readonly new_errors: number;
  /** Those of them with the impact critical. */
  readonly new_critical: number;
}

/** Selects the kept change of the report `last` as JSON; null before it is compared, or without a previous report. */
export const changeOfLast: RawBuilder<ChangeCounts | null> = sql`(
  SELECT jsonb_build_object('new', c.new, 'fixed', c.fixed, 'regressed', c.regressed, 'new_errors', c.worse_errors,
    'new_critical', c.worse_critical)
  FROM comparisons c WHERE c.report_id = last.id AND c.is_previous)`;
