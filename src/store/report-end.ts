import { sql } from 'kysely';
import type { CrawlClaim } from '../domain/crawl.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { changeReport, type ReportChange } from './change-report.ts';
import { failChecks } from './check-results.ts';
import { enabledChecks, UNCLAIMED, withdrawChecks } from './checks.ts';
import type { Database } from './database.ts';

/**
 * Ends the spider's work on a report, unless pages wait to be fetched again.
 * @returns whether it ended; true as well when the report was deleted or the claim is lost
 */
export async function endCrawl(db: Database, claim: CrawlClaim): Promise<boolean> {
  const hasEnded = await changeReport(db, claim, async (change) => {
    const { trx, reportId } = change;
    const refetch = await trx
      .selectFrom('web_pages')
      .select('id')
      .where('report_id', '=', reportId)
      .where('refetch_pending', '=', true)
      .limit(1)
      .execute();
    if (refetch.length > 0) return false;
    await judgeCrawl(change);
    const { num_pages: numPages } = await trx
      .updateTable('reports')
      .set({ crawl_pending: false, crawled_by: null, crawl_claim_id: null, crawl_failures: 0 })
      .where('id', '=', reportId)
      .returning('num_pages')
      .executeTakeFirstOrThrow();
    // A report without pages counts as checked when its crawl ends.
    if (numPages === 0) change.checked();
    return true;
  });
  return hasEnded ?? true;
}

const NO_PAGE = JSON.stringify({ code: 'no_page_fetched', params: {} } satisfies Failure);

/** Notes whether a crawl that is about to end has failed: no page can be checked. */
async function judgeCrawl({ trx, reportId }: ReportChange): Promise<void> {
  await sql`
    UPDATE reports r SET crawl_failed = found.nothing,
      crawl_error = CASE WHEN found.nothing THEN coalesce(r.crawl_error, ${NO_PAGE}::jsonb)
        ELSE r.crawl_error END
    FROM (
      SELECT NOT EXISTS (SELECT FROM web_pages WHERE report_id = ${reportId} AND document_hash IS NOT NULL) AS nothing
    ) AS found
    WHERE r.id = ${reportId} AND r.crawl_failed IS NULL`.execute(trx);
}

/**
 * Notes that a crawl broke off through a fault of this service. Gives it up after `max` claims in a row without progress.
 * @returns the failures in a row, this one included
 */
export async function noteCrawlFailure(db: Database, claim: CrawlClaim, max: number): Promise<number> {
  const failuresInARow = await changeReport(db, claim, async (change) => {
    const { crawl_failures: failures } = await change.trx
      .updateTable('reports')
      // Claiming has counted already, so that a process that dies counts, too.
      .set((eb) => ({ crawl_failures: eb.fn<number>('greatest', ['crawl_failures', eb.lit(1)]) }))
      .where('id', '=', claim.reportId)
      .returning('crawl_failures')
      .executeTakeFirstOrThrow();
    if (failures >= max) await giveUpCrawl(change, { code: 'crawl_broke_off', params: { times: max } });
    return failures;
  });
  return failuresInARow ?? 1;
}

/** Ends a crawl for good: what was found stays, and what was to be fetched again has failed. */
export async function giveUpCrawl(change: ReportChange, error: Failure): Promise<void> {
  const { trx, reportId } = change;
  const pages = await trx
    .updateTable('web_pages')
    .set({ refetch_pending: false })
    .where('report_id', '=', reportId)
    .where('refetch_pending', '=', true)
    .returning('id')
    .execute();
  const webPageIds = pages.map(({ id }) => id);
  await withdrawChecks(change, webPageIds);
  for (const kind of await enabledChecks(trx, reportId)) await failChecks(change, kind, webPageIds, error);
  await judgeCrawl(change);
  await trx
    .updateTable('reports')
    .set({ crawl_pending: false, crawl_failures: 0, crawl_error: JSON.stringify(error) })
    .where('id', '=', reportId)
    .execute();
  change.checked();
}

/** The error of a report that was stopped, and of its checks that did not run. */
const STOPPED: Failure = { code: 'report_stopped', params: {} };

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
    const stopped = { crawled_by: null, crawl_claim_id: null, crawl_error: JSON.stringify(STOPPED) };
    await trx.updateTable('reports').set(stopped).where('id', '=', reportId).execute();
    if (isCrawling) await giveUpCrawl(change, STOPPED);
  });
}
