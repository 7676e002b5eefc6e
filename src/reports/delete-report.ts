import { sql, type Transaction } from 'kysely';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import { announceWork, type Worker } from '../queue/worker.ts';
import { refund, withdrawChecks } from '../store/credits.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import { removeUnreferencedDocuments } from '../store/documents.ts';
import { lockReport } from '../store/report-lock.ts';
import type { Schema } from '../store/schema.ts';

/** Pages, with all that is in them, removed in one transaction: short enough that nothing waits for it noticeably. */
const PURGE_BATCH_PAGES = 200;
/** The same for rows with nothing below them. */
const PURGE_BATCH_ROWS = 10_000;
/** What may be too much to go with its report at once; every other table goes with it. */
const GREAT_TABLES = ['discovered_urls', 'common_issues'] as const;

/** Deletes a report: gone for everybody when this resolves; its rows are removed in the background. */
export function deleteReport(db: Executor, reportId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await lockReport(trx, reportId))) return;
    await markDeleted(trx, reportId);
    const payments = await withdrawChecks(trx, reportId);
    await stopChecks(trx, reportId);
    await refund(trx, reportId, payments);
  });
}

/** Takes all checks that wait out of the queue: until the purge, they would count as waiting work of their account. */
async function stopChecks(trx: Transaction<Schema>, reportId: string): Promise<void> {
  await trx
    .updateTable('checks')
    .set({ runnable: false })
    .where('report_id', '=', reportId)
    .where('status', '=', 'pending')
    .where('runnable', '=', true)
    .execute();
}

/** From here on nobody sees the report, no muting counts what it silences there, what signs in to its site is gone, and the rest follows in the background. */
export async function markDeleted(trx: Transaction<Schema>, reportId: string): Promise<void> {
  const change = { deleted_at: sql<Date>`now()`, site_access: null };
  await trx.updateTable('reports').set(change).where('id', '=', reportId).execute();
  await trx.deleteFrom('report_mutings').where('report_id', '=', reportId).execute();
  await announceWork(trx, ['purge']);
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
    if ((await removePages(trx, report.id)) > 0) return true;
    for (const table of GREAT_TABLES) if ((await removeRows(trx, table, report.id)) > 0) return true;
    await trx.deleteFrom('reports').where('id', '=', report.id).execute();
    return true;
  });
}

async function removePages(trx: Transaction<Schema>, reportId: string): Promise<number> {
  const { rows } = await sql<{ document_hash: Buffer | null }>`
    DELETE FROM web_pages WHERE id IN (
      SELECT id FROM web_pages WHERE report_id = ${reportId} ORDER BY id LIMIT ${PURGE_BATCH_PAGES}
    ) RETURNING document_hash`.execute(trx);
  await removeUnreferencedDocuments(
    trx,
    rows.flatMap((row) => row.document_hash ?? []),
  );
  return rows.length;
}

async function removeRows(
  trx: Transaction<Schema>,
  table: (typeof GREAT_TABLES)[number],
  reportId: string,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${sql.table(table)} WHERE report_id = ${reportId} LIMIT ${PURGE_BATCH_ROWS}))`.execute(trx);
  return Number(numAffectedRows);
}
