import { sql, type Transaction } from 'kysely';
import { countCheck } from '../../domain/counts.ts';
import type { Database, Executor } from '../database.ts';
import { isComparedAgain, requestInsights } from '../diffs/pending-insights.ts';
import { pruneFirstSightings } from '../issues/first-sightings.ts';
import { removeEmptyCommonIssues, removeIssues } from '../issues/write-issues.ts';
import { pruneEndedMutings } from '../mutings/ended-mutings.ts';
import { withdrawChecks } from '../pages/checks.ts';
import { removeUnreferencedDocuments } from '../pages/documents.ts';
import { countPages } from '../pages/page-counts.ts';
import { removeScreenshots } from '../pages/screenshots.ts';
import { removeRows } from '../remove-rows.ts';
import type { Schema } from '../schema.ts';
import { CLAIMS_TOPIC } from '../work-topics.ts';
import { changeOutcome } from './discovered-urls.ts';
import { countPagesAtEnd, markEndChanged } from './keep-results.ts';
import { forgetSessions } from './login-sessions.ts';
import { recordDeletion } from './report-event-log.ts';
import { type ReportTransaction, reportTransaction } from './report-transaction.ts';
import { removeEmptySite } from './sites.ts';

/** Pages that are removed in one transaction, with everything in them: few enough that other transactions hardly wait. */
const PURGE_BATCH_PAGES = 200;
/** The same for rows that nothing refers to. */
const PURGE_BATCH_ROWS = 10_000;
/** Tables with too many rows of one report to delete with it in one statement. Other tables cascade from the report's row. */
const LARGE_TABLES = ['discovered_urls', 'common_issues', 'resource_lists'] as const;

/** Returns the ids of the reports that were created before a time. */
export async function reportsOlderThan(db: Executor, time: Date): Promise<string[]> {
  const older = db.selectFrom('reports').select('id').where('inserted_at', '<', time);
  const rows = await older.where('deleted_at', 'is', null).execute();
  return rows.map(({ id }) => id);
}

/** Keeps a temporary report, so that its end triggers notifications. */
export async function keepReport(db: Executor, reportId: string): Promise<void> {
  await reportTransaction(db, reportId, async ({ trx }) => {
    await trx.updateTable('reports').set({ temporary: false }).where('id', '=', reportId).execute();
  });
}

/** Deletes a report: once this resolves, it is hidden. Its rows are removed in the background. */
export async function deleteReport(db: Executor, reportId: string): Promise<void> {
  await reportTransaction(db, reportId, hideReport);
}

/** Deletes a report if `isWanted` still holds once it is locked. Returns whether it was deleted. */
export async function deleteReportIf(
  db: Executor,
  reportId: string,
  isWanted: (trx: Transaction<Schema>) => Promise<boolean>,
): Promise<boolean> {
  const isDeleted = await reportTransaction(db, reportId, async (change) => {
    if (await isWanted(change.trx)) {
      await hideReport(change);
      return true;
    }
    change.markUnchanged();
    return false;
  });
  return isDeleted ?? false;
}

async function hideReport(change: ReportTransaction): Promise<void> {
  await markDeleted(change);
  await withdrawChecks(change);
  // So that pending checks do not count as their account's waiting work until the purge.
  await change.trx
    .updateTable('checks')
    .set({ runnable: false })
    .where('report_id', '=', change.reportId)
    .where('status', '=', 'pending')
    .where('runnable', '=', true)
    .execute();
}

/**
 * Hides the report, subtracts it from the counts of mutings, and removes its credentials. The purge removes the rest in the
 * background.
 */
export async function markDeleted({ trx, reportId, announce }: ReportTransaction): Promise<void> {
  await recordDeletion(trx, reportId);
  const deleted = { deleted_at: sql<Date>`now()`, site_access: null };
  const { has_work: hasWork } = await trx
    .updateTable('reports')
    .set(deleted)
    .where('id', '=', reportId)
    .returning(
      sql<boolean>`crawl_pending OR EXISTS (
        SELECT FROM report_checks c WHERE c.report_id = reports.id AND c.pending > 0)`.as('has_work'),
    )
    .executeTakeFirstOrThrow();
  await forgetSessions(trx, reportId);
  await trx.deleteFrom('report_mutings').where('report_id', '=', reportId).execute();
  // Reports that were compared with this report will be compared with the report before it.
  await requestInsights(
    trx,
    sql`id IN (SELECT report_id FROM diffs c WHERE with_id = ${reportId} AND ${isComparedAgain(sql`c`)})`,
  );
  announce('purge', 'insights', ...(hasWork ? [CLAIMS_TOPIC] : []));
}

/**
 * Removes a batch of the rows of deleted reports.
 * @returns false if there is no deleted report, or other processes are removing all of them
 */
export async function purgeBatch(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const report = await trx
      .selectFrom('reports')
      .select(['id', 'site_id'])
      .where('deleted_at', 'is not', null)
      .orderBy('deleted_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (report === undefined) return false;
    if ((await removePages(trx, report.id)) > 0) return true;
    for (const table of LARGE_TABLES)
      if ((await removeRows(trx, table, sql`report_id = ${report.id}`, PURGE_BATCH_ROWS)) > 0) return true;
    if ((await pruneFirstSightings(trx, report.site_id)) > 0) return true;
    await pruneEndedMutings(trx, report.site_id);
    await trx.deleteFrom('reports').where('id', '=', report.id).execute();
    await removeEmptySite(trx, report.site_id);
    return true;
  });
}

async function removePages(trx: Transaction<Schema>, reportId: string): Promise<number> {
  const pages = await trx
    .selectFrom('web_pages')
    .select(['id', 'document_hash'])
    .where('report_id', '=', reportId)
    .orderBy('id')
    .limit(PURGE_BATCH_PAGES)
    .execute();
  if (pages.length === 0) return 0;
  const ids = pages.map(({ id }) => id);
  await removeScreenshots(trx, ids);
  await sql`DELETE FROM web_pages WHERE id = ANY(${ids})`.execute(trx);
  await removeUnreferencedDocuments(
    trx,
    pages.flatMap((page) => page.document_hash ?? []),
  );
  return pages.length;
}

/**
 * Removes a page with its checks and issues, and subtracts them from all counts. Its URL becomes an excluded URL of the report.
 * Removing the last page deletes the report.
 */
export function deletePage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  return reportTransaction(db, reportId, (change) => removePage(change, webPageId));
}

async function removePage(change: ReportTransaction, webPageId: number): Promise<void> {
  const { trx, reportId } = change;
  const page = await trx
    .selectFrom('web_pages')
    .select(['url', 'document_hash'])
    .where('id', '=', webPageId)
    .where('report_id', '=', reportId)
    .executeTakeFirst();
  if (page === undefined) return change.markUnchanged();
  await countPagesAtEnd(change, [webPageId], -1);
  await markEndChanged(change);
  await withdrawChecks(change, [webPageId]);
  change.uncountPages(await countPages(trx, [webPageId]));
  const checks = await trx.selectFrom('checks').selectAll().where('web_page_id', '=', webPageId).execute();
  for (const check of checks) {
    change.uncount(check.kind, { ...check, ...countCheck(check) });
    await removeIssues(change, [webPageId], check.kind);
    await removeEmptyCommonIssues(change, check.kind);
  }
  await trx.insertInto('excluded_urls').values({ report_id: reportId, url: page.url, reason: 'deleted' }).execute();
  await changeOutcome(change, page.url, { outcome: 'deleted' });
  const { num_pages: numPages } = await trx
    .updateTable('reports')
    .set((eb) => ({ num_pages: eb('num_pages', '-', 1) }))
    .where('id', '=', reportId)
    .returning('num_pages')
    .executeTakeFirstOrThrow();
  // This locks other reports, and images must be locked after all reports.
  if (numPages === 0) await markDeleted(change);
  await removeScreenshots(trx, [webPageId]);
  await trx.deleteFrom('web_pages').where('id', '=', webPageId).execute();
  change.dropDocuments([page.document_hash]);
  change.announce(CLAIMS_TOPIC);
}
