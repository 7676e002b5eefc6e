import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { ISSUE_SUMS } from '../../domain/counts.ts';
import { issueSums } from '../issues/issue-sums.ts';
import type { ReportTransaction } from './report-transaction.ts';
import { COUNTS_AT_END } from './results-at-end.ts';

/** Keeps the results at the end of a report that later results are about to replace. */

/** Keeps pages that are about to be re-checked as they were at the report's end. Does nothing before the end. */
export async function keepPages({ trx, reportId }: ReportTransaction, webPageIds: readonly number[]): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE reports SET changed_since_end = true WHERE id = ${reportId} AND first_finished_at IS NOT NULL`.execute(trx);
  if (numAffectedRows === 0n) return;
  await sql`
    WITH kept AS (
      INSERT INTO pages_before_recheck (web_page_id, status, http_status, document_hash, content_type)
      SELECT id, status, http_status, document_hash, content_type FROM web_pages WHERE id = ANY(${webPageIds})
      ON CONFLICT DO NOTHING RETURNING web_page_id
    )
    INSERT INTO checks_before_recheck (web_page_id, kind, status, error, engine_version, resources)
    SELECT web_page_id, kind, status, error, engine_version, resources FROM checks
    WHERE web_page_id = ANY(ARRAY(SELECT web_page_id FROM kept))`.execute(trx);
}

/**
 * The common table expression that keeps the issues in `gone`, the rows of `issues` that a statement deletes, unless earlier
 * issues have already been kept.
 */
export const KEEP_ISSUES = sql`
  INSERT INTO issues_before_recheck (web_page_id, kind, report_id, type_fingerprint, issue_type, message, rule_id, impact, rank,
    how_many, muted, muted_retroactively, outside_standard, tags, fingerprints, traces, found_fingerprint, decided)
  SELECT g.web_page_id, g.kind, g.report_id, k.fingerprint, k.issue_type, k.message, k.rule_id, k.impact, k.rank, g.how_many,
    coalesce(g.muted_at_end, g.mutings IS NOT NULL) OR coalesce(k.verdict = 'not_an_error', false), g.muted_retroactively, k.outside_standard, k.tags, g.fingerprints, g.traces,
    k.found_fingerprint, k.decided
  FROM gone g JOIN common_issues k ON k.id = g.common_issue_id
    JOIN checks_before_recheck b ON b.web_page_id = g.web_page_id AND b.kind = g.kind AND NOT b.is_replaced`;

/** Keeps all issues of one kind of check on pages that `keepPages` has kept, because some of them are about to change. */
export async function keepResults(
  change: ReportTransaction,
  webPageIds: readonly number[],
  kind: CheckKind,
): Promise<void> {
  await sql`
    WITH gone AS (SELECT * FROM issues WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind}) ${KEEP_ISSUES}`.execute(
    change.trx,
  );
  await markReplaced(change, webPageIds, kind);
}

/** Marks checks whose issues at the report's end are no longer in `issues`. */
export async function markReplaced(
  { trx }: ReportTransaction,
  webPageIds: readonly number[],
  kind: CheckKind,
): Promise<void> {
  await sql`
    UPDATE checks_before_recheck SET is_replaced = true
    WHERE web_page_id = ANY(${webPageIds}) AND kind = ${kind} AND NOT is_replaced`.execute(trx);
}

/**
 * Adds pages to the counts at the report's end, or subtracts them: before they are deleted, and before and after a retroactive
 * muting changes them.
 */
export async function countPagesAtEnd(
  { trx, reportId }: ReportTransaction,
  webPageIds: readonly number[],
  sign: 1 | -1,
): Promise<void> {
  const each = (of: (name: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql.join(COUNTS_AT_END.map((name) => of(sql.ref(name))));
  await sql`
    WITH of_pages AS (
      SELECT c.web_page_id, c.kind, (c.status = 'checked')::integer AS checked, (c.status = 'failed')::integer AS failed,
        (c.status = 'checked' AND s.errors > 0)::integer AS with_errors,
        (c.status = 'checked' AND s.critical_errors + s.serious_errors > 0)::integer AS with_severe, ${sql.join(ISSUE_SUMS.map((name) => sql.ref(`s.${name}`)))}
      FROM checks_at_end c CROSS JOIN LATERAL (
        SELECT ${issueSums(sql.ref('how_many'))} FROM issues_at_end i WHERE i.web_page_id = c.web_page_id AND i.kind = c.kind AND NOT i.muted) s
      WHERE c.web_page_id = ANY(${webPageIds})
    ), counted AS (
      UPDATE report_checks_at_end e SET ${each((name) => sql`${name} = e.${name} + ${sign} * k.${name}`)}
      FROM (SELECT kind, ${each((name) => sql`sum(${name}) AS ${name}`)} FROM of_pages GROUP BY kind) k
      WHERE e.report_id = ${reportId} AND e.kind = k.kind
    )
    UPDATE reports r SET checked_pages_at_end = r.checked_pages_at_end + ${sign} * p.checked,
      passed_pages_at_end = r.passed_pages_at_end + ${sign} * p.passed
    FROM (
      SELECT count(*) FILTER (WHERE is_checked) AS checked,
        count(*) FILTER (WHERE is_checked AND errors = 0) AS passed
      FROM (SELECT bool_and(checked = 1) AS is_checked, sum(errors) AS errors FROM of_pages GROUP BY web_page_id) pages) p
    WHERE r.id = ${reportId}`.execute(trx);
}

/** Marks the results at the report's end as changed, so that comparisons with them are computed again. */
export async function markEndChanged({ trx, reportId }: ReportTransaction): Promise<void> {
  await sql`UPDATE reports SET end_results_at = now() WHERE id = ${reportId}`.execute(trx);
}
