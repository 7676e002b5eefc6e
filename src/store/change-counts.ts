import { type RawBuilder, sql } from 'kysely';

/** How the issues of a report differ from those of the previous report of its site, by kinds of issue. */
export interface ChangeCounts {
  readonly new: number;
  readonly fixed: number;
  /** Kinds that had been fixed in an earlier report. */
  readonly regressed: number;
  /** New and regressed errors. */
  readonly new_errors: number;
  /** Those of them with the impact critical. */
  readonly new_critical: number;
}

/** Selects the kept change of the report `last` as JSON; null, because no comparison of reports is kept yet. */
export const changeOfLast: RawBuilder<ChangeCounts | null> = sql`NULL::jsonb`;
