import { changeReport } from './change-report.ts';
import { withdrawChecks } from './checks.ts';
import type { Executor } from './database.ts';
import { changeOutcome } from './discovered-urls.ts';
import { removeEmptyCommonIssues, removeIssues } from './issue-changes.ts';
import { markDeleted } from './report-deletion.ts';

/**
 * Removes a page with its checks and issues, and takes them off every count. Its URL joins the report's excluded URLs.
 * Without its last page, the report goes too.
 */
export async function deletePage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  await changeReport(db, reportId, async (change) => {
    const { trx } = change;
    const page = await trx
      .selectFrom('web_pages')
      .select(['url', 'document_hash'])
      .where('id', '=', webPageId)
      .where('report_id', '=', reportId)
      .executeTakeFirst();
    if (page === undefined) return change.leave();
    await withdrawChecks(change, [webPageId]);
    const checks = await trx.selectFrom('checks').selectAll().where('web_page_id', '=', webPageId).execute();
    for (const check of checks) {
      change.uncount(check.kind, { ...check, [check.status]: 1 });
      await removeIssues(change, [webPageId], check.kind);
      await removeEmptyCommonIssues(change, check.kind);
    }
    await trx.deleteFrom('web_pages').where('id', '=', webPageId).execute();
    change.dropDocuments([page.document_hash]);
    await trx.insertInto('excluded_urls').values({ report_id: reportId, url: page.url, reason: 'deleted' }).execute();
    await changeOutcome(change, page.url, { outcome: 'deleted' });
    const { num_pages: numPages } = await trx
      .updateTable('reports')
      .set((eb) => ({ num_pages: eb('num_pages', '-', 1) }))
      .where('id', '=', reportId)
      .returning('num_pages')
      .executeTakeFirstOrThrow();
    if (numPages === 0) await markDeleted(change);
  });
}
