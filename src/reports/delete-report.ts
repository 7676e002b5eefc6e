import { sql } from 'kysely';
import type { Logger } from '../platform/logger.ts';
import { announceWork, type Worker } from '../queue/worker.ts';
import { refund, withdrawChecks } from '../store/credits.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import { removeUnreferencedDocuments } from '../store/documents.ts';
import { lockReport } from '../store/report-lock.ts';
import { startBackgroundWork } from './background-work.ts';

/** Pages removed in one transaction: short enough that nothing waits for it noticeably. */
const PURGE_BATCH_PAGES = 200;

/** Deletes a report: gone for everybody when this resolves; its rows are removed in the background. */
export function deleteReport(db: Executor, reportId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await lockReport(trx, reportId))) return;
    await trx.updateTable('reports').set({ deleted_at: sql<Date>`now()` }).where('id', '=', reportId).execute();
    await announceWork(trx, ['purge']);
    await refund(trx, reportId, await withdrawChecks(trx, reportId));
  });
}

/** Removes what deleted reports left, until stopped. */
export function startPurging(parts: { readonly db: Database; readonly worker: Worker; readonly log: Logger }): {
  stop(): Promise<void>;
} {
  return startBackgroundWork(parts, {
    topic: 'purge',
    doNext: () => purgeBatch(parts.db),
    failure: 'Could not remove a deleted report yet',
  });
}

/** @returns false when no deleted report is free to be removed */
async function purgeBatch(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const report = await trx
      .selectFrom('reports')
      .select('id')
      .where('deleted_at', 'is not', null)
      .orderBy('deleted_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (report === undefined) return false;
    const { rows } = await sql<{ document_hash: Buffer | null }>`
      DELETE FROM web_pages WHERE id IN (
        SELECT id FROM web_pages WHERE report_id = ${report.id} ORDER BY id LIMIT ${PURGE_BATCH_PAGES}
      ) RETURNING document_hash`.execute(trx);
    if (rows.length === 0) await trx.deleteFrom('reports').where('id', '=', report.id).execute();
    await removeUnreferencedDocuments(
      trx,
      rows.flatMap((row) => row.document_hash ?? []),
    );
    return true;
  });
}
