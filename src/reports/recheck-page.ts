import { sql } from 'kysely';
import { announceWork } from '../queue/worker.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { addCheckCounts, NO_ISSUES } from '../store/issue-counts.ts';
import { lockReport } from '../store/report-lock.ts';
import { settleReport } from '../store/report-progress.ts';

/**
 * Has a page fetched and checked again. Its issues stay until the new ones replace them. A page that waits for its
 * checks anyway is only fetched again.
 */
export function recheckPage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await lockReport(trx, reportId))) return;
    const before = await trx
      .selectFrom('checks')
      .select(['kind', 'status'])
      .where('web_page_id', '=', webPageId)
      .where('report_id', '=', reportId)
      .execute();
    if (before.length === 0) return;
    await trx
      .updateTable('checks')
      .set({ status: 'pending', runnable: false, claimed_by: null, claim_id: null, attempts: 0, begun: 0, error: null })
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
    await settleReport(trx, reportId, { checkedNow: false });
    await announceWork(trx, ['crawl']);
  });
}
