import type { Transaction } from 'kysely';
import { saveFailedChecks } from '../store/check-results.ts';
import { enabledChecks, giveUpCrawl } from '../store/crawl-progress.ts';
import { refund, withdrawChecks } from '../store/credits.ts';
import type { Database } from '../store/database.ts';
import { lockReport } from '../store/report-lock.ts';
import type { Schema } from '../store/schema.ts';

/** The error of a report that was stopped, and of its checks that did not run. Without the full stop. */
const STOPPED = 'The report was stopped before it was complete';

/**
 * Ends the work on a report at once and keeps its results so far. Pending checks fail: those that no worker has claimed are
 * refunded, and the results of those under way are ignored. A report that has ended stays as it is.
 */
export async function stopReport(db: Database, reportId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await lockReport(trx, reportId)) || (await hasEnded(trx, reportId))) return;
    const payments = await withdrawChecks(trx, reportId);
    await trx
      .updateTable('checks')
      .set({ claimed_by: null, claim_id: null })
      .where('report_id', '=', reportId)
      .where('status', '=', 'pending')
      .execute();
    for (const kind of await enabledChecks(trx, reportId)) {
      const pages = await trx
        .selectFrom('checks')
        .select('web_page_id')
        .where('report_id', '=', reportId)
        .where('kind', '=', kind)
        .where('status', '=', 'pending')
        .execute();
      const pageIds = pages.map(({ web_page_id: id }) => id);
      await saveFailedChecks(trx, reportId, kind, pageIds, STOPPED);
    }
    await stopCrawl(trx, reportId);
    await refund(trx, reportId, payments);
  });
}

async function hasEnded(trx: Transaction<Schema>, reportId: string): Promise<boolean> {
  const ended = trx.selectFrom('reports').select('id').where('id', '=', reportId);
  return (await ended.where('status', 'in', ['finished', 'failed']).executeTakeFirst()) !== undefined;
}

/** A crawl under way notices that its claim is gone, and ends. */
async function stopCrawl(trx: Transaction<Schema>, reportId: string): Promise<void> {
  const { crawl_pending: isCrawling } = await trx
    .updateTable('reports')
    .set({ crawled_by: null, crawl_claim_id: null })
    .where('id', '=', reportId)
    .returning('crawl_pending')
    .executeTakeFirstOrThrow();
  if (isCrawling) await giveUpCrawl(trx, reportId, STOPPED);
  else
    await trx
      .updateTable('reports')
      .set({ crawl_error: `${STOPPED}.` })
      .where('id', '=', reportId)
      .execute();
}
