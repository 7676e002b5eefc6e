import { sql } from 'kysely';
import { announceWork } from '../queue/worker.ts';
import { forgetShortage, payerOfReport, shortageOf, takeReportCredits } from '../store/credits.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { addCheckCounts, NO_ISSUES } from '../store/issue-counts.ts';
import { lockReport } from '../store/report-lock.ts';
import { settleReport } from '../store/report-progress.ts';
import { creditsExhausted } from './credits-exhausted.ts';

/** What a check is before it has run. */
const NEW_CHECK = {
  ...{ runnable: false, claimed_by: null, claim_id: null, attempts: 0, begun_claims: [] },
  ...{ error: null, notes: '[]' },
} as const;

/**
 * Has a page fetched and checked again. Its issues stay until the new ones replace them. A page that waits for its
 * checks anyway is only fetched again.
 * @throws AppError credits_exhausted when not all checks and their raw checks can be paid for; nothing has changed then
 */
export function recheckPage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await lockReport(trx, reportId))) return;
    const before = await trx
      .selectFrom('checks as c')
      .innerJoin('report_checks as r', (join) =>
        join.onRef('r.report_id', '=', 'c.report_id').onRef('r.kind', '=', 'c.kind'),
      )
      .select(['c.kind', 'c.status', 'c.attempts', 'r.store_raw'])
      .where('c.web_page_id', '=', webPageId)
      .where('c.report_id', '=', reportId)
      .orderBy('c.kind')
      // No worker may claim one of them from here on: it would run, and then once more for the same credit.
      .forUpdate('c')
      .execute();
    if (before.length === 0) return;
    // What waits and was never begun has been paid for already.
    const toPay = before.filter(({ status, attempts }) => status !== 'pending' || attempts > 0);
    const unpaid = toPay.map(({ kind }) => kind);
    await trx
      .updateTable('checks')
      .set({ status: 'pending', ...NEW_CHECK })
      .where('web_page_id', '=', webPageId)
      .execute();
    for (const { kind, status } of before) {
      if (status === 'pending') continue;
      const change = { pending: 1, checked: 0, failed: 0, ...NO_ISSUES, [status]: -1 };
      await addCheckCounts(trx, reportId, kind, change);
    }
    await trx
      .updateTable('web_pages')
      .set({ refetch_pending: true, updated_at: sql<Date>`now()` })
      .where('id', '=', webPageId)
      .execute();
    await trx.updateTable('reports').set({ crawl_pending: true }).where('id', '=', reportId).execute();
    // Accounts are locked after documents everywhere, and a change of a page may lock its document.
    const { shortage, paid } = await takeReportCredits(trx, reportId, unpaid.length, 'checks');
    // Raw checks are paid for when they are stored, but a check is not run again to be left without its own.
    const rawChecks = toPay.filter((check) => check.store_raw).length;
    const lacking = shortage ?? shortageOf(await payerOfReport(trx, reportId), rawChecks);
    if (lacking !== null) throw creditsExhausted(lacking);
    if (unpaid.length > 0) {
      const those = trx.updateTable('checks').where('web_page_id', '=', webPageId).where('kind', 'in', unpaid);
      await those.set(paid).execute();
    }
    await forgetShortage(trx, reportId);
    await settleReport(trx, reportId, { checkedNow: false });
    await announceWork(trx, ['crawl']);
  });
}
