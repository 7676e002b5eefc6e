import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import type { CheckCounts } from '../../domain/counts.ts';

/** What some kinds of check found in a report of a site. */
export interface RunCounts {
  readonly checks: readonly (Pick<CheckCounts, 'checked' | 'errors' | 'with_severe'> & { readonly kind: CheckKind })[];
  readonly errors: number;
  /** Errors with critical impact. */
  readonly critical: number;
  readonly passed: number;
  readonly checked: number;
}

/** The counts of a report at its end. */
export interface CountsAtEndOfRun extends RunCounts {
  /** Its counts now; null if they are the same. */
  readonly now: RunCounts | null;
}

/** The columns of `reports` that `countsOfRun` reads. */
export const RUN_COUNT_COLUMNS = sql`checked_pages, passed_pages, checked_pages_at_end, passed_pages_at_end, changed_since_end`;

/** Selects the counts of the row `run` of `reports`, which has ended, as JSON. @param kinds the kinds of check that count */
export function countsOfRun(kinds: readonly CheckKind[]): RawBuilder<CountsAtEndOfRun> {
  const counts = (table: string, passed: string, checked: string) => sql`(
    SELECT jsonb_build_object('errors', coalesce(sum(c.errors), 0), 'critical', coalesce(sum(c.critical_errors), 0),
      'passed', ${sql.ref(passed)}, 'checked', ${sql.ref(checked)},
      'checks', coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'checked', c.checked, 'errors', c.errors,
        'with_severe', c.with_severe) ORDER BY c.kind), '[]'))
    FROM ${sql.table(table)} c WHERE c.report_id = run.id AND c.kind = ANY(${[...kinds]}))`;
  return sql<CountsAtEndOfRun>`(
    SELECT at_end || jsonb_build_object('now', nullif(now, at_end)) FROM (
      SELECT ${counts('report_checks_at_end', 'run.passed_pages_at_end', 'run.checked_pages_at_end')} AS at_end,
        CASE WHEN run.changed_since_end THEN ${counts('report_checks', 'run.passed_pages', 'run.checked_pages')} END AS now
      OFFSET 0) counted)`;
}
