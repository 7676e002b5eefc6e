import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { CHECK_COUNTS, CHECK_STATUSES, ISSUE_SUMS, NO_ISSUES } from '../../domain/counts.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { Database } from '../database.ts';
import { removeEmptyCommonIssues } from '../issues/write-issues.ts';
import { keepIssues } from '../rechecks/former-issues.ts';
import { failRechecks } from '../rechecks/rechecks.ts';
import { type ReportTransaction, reportTransaction } from '../reports/report-transaction.ts';
import { storableFailure } from '../storable.ts';
import { UNSTARTED } from './checks.ts';
import { removeRawChecks } from './raw-checks.ts';
import { replaceScreenshots } from './screenshots.ts';

/** A claimed check whose result the database refuses. */
export interface UnsavableCheck {
  readonly reportId: string;
  readonly webPageId: number;
  readonly claimId: number;
}

/**
 * Fails a check whose result the database refuses, because of the result or because the report's counts are wrong. Therefore
 * computes the report's counts of this kind of check from scratch. Does nothing if the claim is no longer current.
 */
export async function failUnsavableCheck(
  db: Database,
  kind: CheckKind,
  { reportId, webPageId, claimId }: UnsavableCheck,
  error: Failure,
): Promise<void> {
  await reportTransaction(db, reportId, async (change) => {
    const { trx } = change;
    const failed = await trx
      .updateTable('checks')
      .set({
        status: 'failed',
        error: JSON.stringify(storableFailure(error)),
        ...UNSTARTED,
        ...NO_ISSUES,
        recheck: null,
      })
      .where('web_page_id', '=', webPageId)
      .where('kind', '=', kind)
      .where('claim_id', '=', claimId)
      .where('status', '=', 'pending')
      .returning('before_document')
      .executeTakeFirst();
    if (failed === undefined) return change.markUnchanged();
    const now = sql<Date>`now()`;
    await trx
      .updateTable('web_pages')
      .set({ last_checked_at: now, updated_at: now })
      .where('id', '=', webPageId)
      .execute();
    if (failed.before_document !== null) await keepIssues(change, kind, [webPageId]);
    await trx.deleteFrom('issues').where('web_page_id', '=', webPageId).where('kind', '=', kind).execute();
    await failRechecks(change, kind, webPageId);
    await replaceScreenshots(change, kind, [{ webPageId, screenshot: null }]);
    await removeRawChecks(change, kind, [webPageId]);
    await recount(change, kind);
    change.markChecked();
  });
}

/**
 * Computes a report's counts of one kind of check from scratch: common issues from the issues, sums from the checks. Counts of
 * mutings include all kinds.
 */
async function recount(change: ReportTransaction, kind: CheckKind): Promise<void> {
  const { trx, reportId } = change;
  await sql`
    UPDATE common_issues c SET how_many = s.how_many, num_web_pages = s.num_web_pages,
      muted_how_many = s.muted_how_many, muted_num_web_pages = s.muted_num_web_pages, updated_at = now()
    FROM (
      SELECT k.id, coalesce(sum(i.how_many) FILTER (WHERE NOT i.muted), 0) AS how_many,
        count(DISTINCT i.web_page_id) FILTER (WHERE NOT i.muted) AS num_web_pages,
        coalesce(sum(i.how_many) FILTER (WHERE i.muted), 0) AS muted_how_many,
        count(DISTINCT i.web_page_id) FILTER (WHERE i.muted) AS muted_num_web_pages
      FROM common_issues k LEFT JOIN issues i ON i.common_issue_id = k.id
      WHERE k.report_id = ${reportId} AND k.kind = ${kind} GROUP BY k.id
    ) s WHERE c.id = s.id`.execute(trx);
  await removeEmptyCommonIssues(change, kind);
  await sql`
    WITH silenced AS (
      SELECT muting_id, sum(how_many) AS how_many FROM issues, unnest(mutings) AS muting_id
      WHERE common_issue_id IN (SELECT id FROM common_issues WHERE report_id = ${reportId}) GROUP BY muting_id
    ), counted AS (
      SELECT r.muting_id, coalesce(s.how_many, 0) AS how_many
      FROM report_mutings r LEFT JOIN silenced s ON s.muting_id = r.muting_id WHERE r.report_id = ${reportId}
    )
    UPDATE report_mutings r SET how_many = c.how_many FROM counted c
    WHERE r.report_id = ${reportId} AND r.muting_id = c.muting_id AND r.how_many <> c.how_many`.execute(trx);
  const counted = [
    ...CHECK_STATUSES.map((status) => sql`count(*) FILTER (WHERE status = ${status}) AS ${sql.ref(status)}`),
    sql`count(*) FILTER (WHERE state = 'with_errors') AS with_errors`,
  ];
  const summed = ISSUE_SUMS.map((name) => sql`coalesce(sum(${sql.ref(name)}), 0) AS ${sql.ref(name)}`);
  await sql`
    UPDATE report_checks r SET ${sql.join(CHECK_COUNTS.map((name) => sql`${sql.ref(name)} = s.${sql.ref(name)}`))}
    FROM (
      SELECT ${sql.join([...counted, ...summed])} FROM checks WHERE report_id = ${reportId} AND kind = ${kind}
    ) s WHERE r.report_id = ${reportId} AND r.kind = ${kind}`.execute(trx);
  await sql`
    UPDATE reports SET (checked_pages, passed_pages) = (
      SELECT count(*), count(*) FILTER (WHERE errors = 0) FROM (
        SELECT sum(errors) AS errors FROM checks WHERE report_id = ${reportId}
        GROUP BY web_page_id HAVING bool_and(status = 'checked')
      ) pages
    ) WHERE id = ${reportId}`.execute(trx);
}
