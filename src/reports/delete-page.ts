import { refund, withdrawChecks } from '../store/credits.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { changeOutcome } from '../store/discovered-urls.ts';
import { removeUnreferencedDocuments } from '../store/documents.ts';
import { addCheckCounts, NO_ISSUES, subtractSums } from '../store/issue-counts.ts';
import { removeEmptyCommonIssues, removeIssues } from '../store/issue-removal.ts';
import { lockReport } from '../store/report-lock.ts';
import { settleReport } from '../store/report-progress.ts';
import { markDeleted } from './delete-report.ts';

/**
 * Removes a page with its checks and issues, and takes them off every count. Its URL joins the report's excluded URLs.
 * Without its last page, the report goes too.
 */
export async function deletePage(db: Executor, reportId: string, webPageId: number): Promise<void> {
  await inTransaction(db, async (trx) => {
    if (!(await lockReport(trx, reportId))) return;
    const page = await trx
      .selectFrom('web_pages')
      .select(['url', 'document_hash'])
      .where('id', '=', webPageId)
      .where('report_id', '=', reportId)
      .executeTakeFirst();
    if (page === undefined) return;
    const payments = await withdrawChecks(trx, reportId, [webPageId]);
    const checks = await trx.selectFrom('checks').selectAll().where('web_page_id', '=', webPageId).execute();
    for (const check of checks) {
      const change = { pending: 0, checked: 0, failed: 0, ...subtractSums(NO_ISSUES, check), [check.status]: -1 };
      await addCheckCounts(trx, reportId, check.kind, change);
      await removeIssues(trx, [webPageId], check.kind);
      await removeEmptyCommonIssues(trx, reportId, check.kind);
    }
    await trx.deleteFrom('web_pages').where('id', '=', webPageId).execute();
    await trx.insertInto('excluded_urls').values({ report_id: reportId, url: page.url, reason: 'deleted' }).execute();
    await changeOutcome(trx, reportId, page.url, { outcome: 'deleted' });
    const { num_pages: numPages } = await trx
      .updateTable('reports')
      .set((eb) => ({ num_pages: eb('num_pages', '-', 1) }))
      .where('id', '=', reportId)
      .returning('num_pages')
      .executeTakeFirstOrThrow();
    if (numPages > 0) await settleReport(trx, reportId, { checkedNow: false });
    else await markDeleted(trx, reportId);
    if (page.document_hash !== null) await removeUnreferencedDocuments(trx, [page.document_hash]);
    await refund(trx, reportId, payments);
  });
}
