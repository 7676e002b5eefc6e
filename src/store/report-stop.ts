import { changeReport } from './change-report.ts';
import { failChecks } from './check-results.ts';
import { enabledChecks, UNCLAIMED, withdrawChecks } from './checks.ts';
import { giveUpCrawl } from './crawl-end.ts';
import type { Database } from './database.ts';

/** The error of a report that was stopped, and of its checks that did not run. Without the full stop. */
const STOPPED = 'The report was stopped before it was complete';

/**
 * Ends the work on a report at once and keeps its results so far. Pending checks fail: those that no worker has claimed are
 * refunded, and the results of those under way are ignored. A report that has ended stays as it is.
 */
export async function stopReport(db: Database, reportId: string): Promise<void> {
  await changeReport(db, reportId, async (change) => {
    const { trx } = change;
    const { status, crawl_pending: isCrawling } = await trx
      .selectFrom('reports')
      .select(['status', 'crawl_pending'])
      .where('id', '=', reportId)
      .executeTakeFirstOrThrow();
    if (status === 'finished' || status === 'failed') return change.leave();
    await withdrawChecks(change);
    await trx
      .updateTable('checks')
      .set(UNCLAIMED)
      .where('report_id', '=', reportId)
      .where('status', '=', 'pending')
      .execute();
    for (const kind of await enabledChecks(trx, reportId)) {
      const checks = trx.selectFrom('checks').select('web_page_id').where('report_id', '=', reportId);
      const pending = await checks.where('kind', '=', kind).where('status', '=', 'pending').execute();
      const webPageIds = pending.map(({ web_page_id: id }) => id);
      await failChecks(change, kind, webPageIds, STOPPED);
    }
    // A crawl under way notices that its claim is gone, and ends.
    const stopped = { crawled_by: null, crawl_claim_id: null, crawl_error: `${STOPPED}.` };
    await trx.updateTable('reports').set(stopped).where('id', '=', reportId).execute();
    if (isCrawling) await giveUpCrawl(change, STOPPED);
  });
}
