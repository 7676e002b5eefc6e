import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { NO_ISSUES } from '../../domain/counts.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { Database } from '../database.ts';
import { removeEmptyCommonIssues } from '../issues/write-issues.ts';
import { keepIssues } from '../rechecks/former-issues.ts';
import { failRechecks } from '../rechecks/rechecks.ts';
import { recountIssueTypes, recountReport } from '../reports/measure.ts';
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
 * Computes a report's counts of one kind of check from scratch: common issues from the issues, sums from the checks. The counts
 * of mutings are computed for all kinds.
 */
async function recount(change: ReportTransaction, kind: CheckKind): Promise<void> {
  const { trx, reportId } = change;
  await recountIssueTypes(change, kind);
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
  await recountReport(change, kind);
}
