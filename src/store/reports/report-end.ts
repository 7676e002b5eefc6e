import { sql } from 'kysely';
import type { CrawlClaim } from '../../domain/crawl.ts';
import type { FailOn } from '../../domain/fail-on.ts';
import type { Failure } from '../../domain/failures/failure.ts';
import type { Database } from '../database.ts';
import { failChecks } from '../pages/check-results.ts';
import { enabledChecks, UNCLAIMED, withdrawChecks } from '../pages/checks.ts';
import { CLAIMS_TOPIC } from '../work-topics.ts';
import { type ReportTransaction, reportTransaction } from './report-transaction.ts';

/**
 * Ends the crawl of a report unless pages have to be fetched again.
 * @returns whether it ended; also true if the report was deleted or the claim is lost
 */
export async function endCrawl(db: Database, claim: CrawlClaim): Promise<boolean> {
  const end = async (change: ReportTransaction): Promise<boolean> => {
    const { trx, reportId } = change;
    const refetch = await trx
      .selectFrom('web_pages')
      .select('id')
      .where('report_id', '=', reportId)
      .where('refetch_pending', '=', true)
      .limit(1)
      .execute();
    if (refetch.length > 0) return false;
    await setCrawlFailed(change);
    const { num_pages: numPages } = await trx
      .updateTable('reports')
      .set({ crawl_pending: false, crawled_by: null, crawl_claim_id: null, crawl_failures: 0, acting_journey: null })
      .where('id', '=', reportId)
      .returning('num_pages')
      .executeTakeFirstOrThrow();
    // A report without pages has no checks that would set the time.
    if (numPages === 0) change.markChecked();
    return true;
  };
  return (await reportTransaction(db, claim, end)) ?? true;
}

const NO_PAGE = JSON.stringify({ code: 'no_page_fetched', params: {} } satisfies Failure);
const NO_PAGE_INCLUDED = JSON.stringify({ code: 'no_page_included', params: {} } satisfies Failure);

/** Records that a crawl has failed if it found no page that can be checked. */
async function setCrawlFailed({ trx, reportId }: ReportTransaction): Promise<void> {
  await sql`
    UPDATE reports r SET crawl_failed = found.nothing,
      crawl_error = CASE WHEN found.nothing THEN coalesce(r.crawl_error,
          CASE WHEN r.only_journeys THEN (
            SELECT c.error FROM checks c WHERE c.report_id = r.id AND c.error IS NOT NULL ORDER BY c.web_page_id LIMIT 1) END,
          CASE WHEN r.num_pages = 0 AND r.inclusions <> '{}' THEN ${NO_PAGE_INCLUDED}::jsonb ELSE ${NO_PAGE}::jsonb END)
        ELSE r.crawl_error END
    FROM (
      SELECT NOT EXISTS (SELECT FROM web_pages WHERE report_id = ${reportId} AND document_hash IS NOT NULL) AS nothing
    ) AS found
    WHERE r.id = ${reportId} AND r.crawl_failed IS NULL`.execute(trx);
}

/**
 * Records that a crawl was interrupted by an error of this service. Aborts it after `max` claims in a row without progress.
 * @returns the number of failures in a row, including this one
 */
export async function recordCrawlFailure(db: Database, claim: CrawlClaim, max: number): Promise<number> {
  const record = async (change: ReportTransaction): Promise<number> => {
    const { crawl_failures: failures } = await change.trx
      .updateTable('reports')
      // The claim has already been counted as a failure, so that a process that dies counts, too.
      .set((eb) => ({ crawl_failures: eb.fn<number>('greatest', ['crawl_failures', eb.lit(1)]) }))
      .where('id', '=', claim.reportId)
      .returning('crawl_failures')
      .executeTakeFirstOrThrow();
    if (failures >= max) await giveUpCrawl(change, { code: 'crawl_broke_off', params: { times: max } });
    return failures;
  };
  return (await reportTransaction(db, claim, record)) ?? 1;
}

/** Aborts a crawl. Found pages stay; pages that were to be fetched again fail. */
export async function giveUpCrawl(change: ReportTransaction, error: Failure): Promise<void> {
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
  await setCrawlFailed(change);
  await trx
    .updateTable('reports')
    .set({ crawl_pending: false, crawl_failures: 0, acting_journey: null, crawl_error: JSON.stringify(error) })
    .where('id', '=', reportId)
    .execute();
  change.markChecked();
}

/** The error of a stopped report and of its checks that did not run. */
const STOPPED: Failure = { code: 'report_stopped', params: {} };

/**
 * Stops a report and keeps its results so far. Pending checks fail: checks that no worker has ever claimed are refunded, and
 * results of running checks are ignored. Does not change a report that has ended.
 */
export async function stopReport(db: Database, reportId: string): Promise<void> {
  await reportTransaction(db, reportId, async (change) => {
    const { trx } = change;
    const { status, crawl_pending: isCrawling } = await trx
      .selectFrom('reports')
      .select(['status', 'crawl_pending'])
      .where('id', '=', reportId)
      .executeTakeFirstOrThrow();
    if (status === 'finished' || status === 'failed') return change.markUnchanged();
    // Without this lock, a worker could claim a check after claims were removed, and that check would not be stopped.
    await sql`SELECT count(*) FROM (
      SELECT FROM checks WHERE report_id = ${reportId} AND status = 'pending' FOR NO KEY UPDATE) AS locked`.execute(
      trx,
    );
    await withdrawChecks(change);
    await trx
      .updateTable('checks')
      .set(UNCLAIMED)
      .where('report_id', '=', reportId)
      .where('status', '=', 'pending')
      .where('claimed_by', 'is not', null)
      .execute();
    for (const kind of await enabledChecks(trx, reportId)) {
      const checks = trx.selectFrom('checks').select('web_page_id').where('report_id', '=', reportId);
      const pending = await checks.where('kind', '=', kind).where('status', '=', 'pending').execute();
      const webPageIds = pending.map(({ web_page_id: id }) => id);
      await failChecks(change, kind, webPageIds, STOPPED);
    }
    // Running checks and the crawl then notice that they have lost their claims, and end.
    change.announce(CLAIMS_TOPIC);
    const stopped = { crawled_by: null, crawl_claim_id: null, crawl_error: JSON.stringify(STOPPED) };
    await trx.updateTable('reports').set(stopped).where('id', '=', reportId).execute();
    if (isCrawling) await giveUpCrawl(change, STOPPED);
  });
}

/** Returns what makes the run fail; null if no schedule created the report. */
export async function failOnOf({ trx, reportId }: ReportTransaction): Promise<readonly FailOn[] | null> {
  const report = trx.selectFrom('reports').select('fail_on').where('id', '=', reportId);
  return (await report.executeTakeFirstOrThrow()).fail_on;
}

/**
 * Sets the number of issues and unchecked pages that make the run fail.
 * @returns whether that was not known before
 */
export async function saveNumFailing({ trx, reportId }: ReportTransaction, numFailing: number): Promise<boolean> {
  const { rows } = await sql<{ isFirst: boolean }>`
    UPDATE reports SET num_failing = ${numFailing} WHERE id = ${reportId} RETURNING old.num_failing IS NULL AS "isFirst"`.execute(
    trx,
  );
  return rows[0]?.isFirst ?? false;
}
