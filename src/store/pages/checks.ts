import { sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { thisMonth } from '../accounts/guest-accounts.ts';
import type { Payment } from '../credits/credits.ts';
import type { Executor } from '../database.ts';
import type { ReportTransaction } from '../reports/report-transaction.ts';

/** The columns of a check that no worker has claimed. */
export const UNCLAIMED = { claimed_by: null, claim_id: null } as const;
/** The same for a check that is not in progress: it has yet to start or has ended. */
export const UNSTARTED: typeof UNCLAIMED & { readonly attempts: 0; readonly begun_claims: number[] } = {
  ...UNCLAIMED,
  attempts: 0,
  begun_claims: [],
};

/** Returns the enabled kinds of checks in the order of the engines: if credits run out, they pay for the first kinds. */
export async function enabledChecks(db: Executor, reportId: string): Promise<CheckKind[]> {
  const rows = await db
    .selectFrom('report_checks')
    .select('kind')
    .where('report_id', '=', reportId)
    .orderBy('position')
    .execute();
  return rows.map(({ kind }) => kind);
}

/** Returns the kinds of which a report has pending checks. */
export async function pendingKinds(db: Executor, reportId: string): Promise<CheckKind[]> {
  const of = db.selectFrom('report_checks').select('kind').where('report_id', '=', reportId);
  return (await of.where('pending', '>', 0).execute()).map(({ kind }) => kind);
}

/**
 * Withdraws pending checks that no worker has ever claimed, permanently, and refunds them. A check that was ever claimed counts
 * as run, so that no more checks can run than were paid for.
 * @param webPageIds the pages whose checks to withdraw; default: all pages
 */
export async function withdrawChecks(change: ReportTransaction, webPageIds?: readonly number[]): Promise<void> {
  const ofPages = webPageIds === undefined ? sql`` : sql`AND web_page_id = ANY(${webPageIds})`;
  const { rows } = await sql<Payment>`
    WITH withdrawn AS (
      UPDATE checks SET runnable = false, paid_by = NULL, usage_month = NULL
      WHERE report_id = ${change.reportId} ${ofPages} AND status = 'pending' AND attempts = 0
        AND (paid_by IS NOT NULL OR usage_month IS NOT NULL)
      RETURNING old.paid_by, old.usage_month
    )
    SELECT paid_by AS "paidBy", count(*) AS count, count(*) FILTER (WHERE usage_month = ${thisMonth}) AS usage
    FROM withdrawn GROUP BY paid_by`.execute(change.trx);
  change.refund(rows);
}
