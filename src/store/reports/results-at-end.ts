import { type RawBuilder, sql, type Transaction } from 'kysely';
import { ISSUE_SUMS } from '../../domain/counts.ts';
import type { Executor } from '../database.ts';
import type { Schema } from '../schema.ts';

/**
 * The results at a report's end stay, regardless of later re-checks and mutings (decision 0009). Counts are copied at the end;
 * pages, checks and issues are copied when something replaces them.
 */

/** The results of a report to read: at its end, or now. Both are the same until a re-check or a muting changes them. */
export type ResultsAt = 'end' | 'now';

/** Returns `now` unless the results have changed since the end, because the current results are faster to read. */
export async function resultsToRead(db: Executor, reportId: string, at: ResultsAt): Promise<ResultsAt> {
  if (at === 'now') return 'now';
  const report = db.selectFrom('reports').select('changed_since_end').where('id', '=', reportId);
  return (await report.executeTakeFirst())?.changed_since_end ? 'end' : 'now';
}

/** The pages of reports, with `id`, `report_id`, `url`, `title`, `status`, `http_status`, `document_hash` and `content_type`. */
export const pagesAt = (at: ResultsAt): RawBuilder<unknown> =>
  at === 'now' ? sql.table('web_pages') : sql.table('web_pages_at_end');

/** Their checks, with `web_page_id`, `kind`, `status`, `error`, `engine_version` and `resources`. */
export const checksAt = (at: ResultsAt): RawBuilder<unknown> =>
  at === 'now' ? sql.table('checks') : sql.table('checks_at_end');

/** Their issues, with `web_page_id`, `kind`, `how_many`, `muted`, `fingerprints` and `traces`. */
export const issuesAt = (at: ResultsAt): RawBuilder<unknown> =>
  at === 'now' ? sql.table('issues') : sql.table('issues_at_end');

/** The same issues with `id` and `common_issue_id`, which are null for replaced issues, and the columns of the issue type. */
export const typedIssuesAt = (at: ResultsAt): RawBuilder<unknown> =>
  at === 'end'
    ? sql.table('issues_at_end')
    : sql`(SELECT n.id, n.common_issue_id, n.report_id, n.web_page_id, n.kind, k.fingerprint AS type_fingerprint, k.issue_type,
        k.message, k.rule_id, k.impact, k.rank, n.how_many, n.muted, k.outside_standard, n.fingerprints, n.traces,
        coalesce(k.found_fingerprint, k.fingerprint) AS found_fingerprint, k.decided
      FROM issues n JOIN common_issues k ON k.id = n.common_issue_id)`;

/** The counts of `report_checks_at_end`. */
export const COUNTS_AT_END = ['checked', 'failed', 'with_errors', 'with_severe', ...ISSUE_SUMS] as const;
const COUNT_COLUMNS = sql.join(COUNTS_AT_END.map((name) => sql.ref(name)));

/** Records the counts of a report that has just ended. A failed report that a re-check completes ends again. */
export async function recordEnd(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await sql`
    INSERT INTO report_checks_at_end (report_id, kind, ${COUNT_COLUMNS})
    SELECT report_id, kind, ${COUNT_COLUMNS} FROM report_checks WHERE report_id = ${reportId}
    ON CONFLICT (report_id, kind) DO UPDATE SET (${COUNT_COLUMNS}) = (${sql.join(COUNTS_AT_END.map((name) => sql.ref(`excluded.${name}`)))})`.execute(
    trx,
  );
  await sql`
    UPDATE reports SET checked_pages_at_end = checked_pages, passed_pages_at_end = passed_pages
    WHERE id = ${reportId}`.execute(trx);
}
