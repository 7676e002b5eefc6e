import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { pendingKinds } from '../store/pages/checks.ts';
import { type ReportTransaction, reportTransaction } from '../store/reports/report-transaction.ts';
import type { Schema } from '../store/schema.ts';
import {
  finishWalk,
  lockPending,
  type NextPages,
  postpone,
  saveProgress,
  type Walked,
  type WalkedRow,
  type WalkedTable,
} from '../store/walks.ts';

/** Pages updated in one transaction: few enough that checks of the same report barely have to wait. */
const BATCH_PAGES = 100;

/** What is applied to existing reports, and where. */
export interface Walk<Row extends WalkedRow> {
  /** Returns the next report; undefined after the last. */
  nextReport(trx: Transaction<Schema>, row: Row): Promise<string | undefined>;
  /** Returns the next pages of the report that may change, at most `max`, in the order of their ids. */
  nextPages(trx: Transaction<Schema>, row: Row, reportId: string, max: number): Promise<NextPages>;
  /** Updates pages. @returns false if none of them has changed */
  apply(change: ReportTransaction, row: Row, webPageIds: readonly number[]): Promise<boolean>;
}

/**
 * Applies one pending row of the table to the next batch of pages. If that fails, other rows are next.
 * @returns false if no row is pending, or other processes are applying all of them
 */
export async function walkOn<Table extends WalkedTable>(
  db: Database,
  table: Table,
  walk: Walk<Walked[Table]>,
  pagesMax = BATCH_PAGES,
): Promise<boolean> {
  let current: WalkedRow | undefined;
  try {
    return await db.transaction().execute(async (trx) => {
      const row = await lockPending(trx, table);
      current = row;
      if (row === undefined) return false;
      const reportId = await walk.nextReport(trx, row);
      if (reportId === undefined) {
        await finishWalk(trx, table, row);
        return true;
      }
      // Results that were saved without this change are visible once the report is locked; later ones take it into account.
      const next = await reportTransaction(trx, reportId, async (change) => {
        const pages = await walk.nextPages(trx, row, reportId, pagesMax);
        if (pages.ids.length === 0 || !(await walk.apply(change, row, pages.ids))) change.markUnchanged();
        // Claims have left out the checks of these pages in the meantime.
        change.announce(...(await pendingKinds(trx, reportId)));
        return pages;
      });
      const page = next?.isLast === false ? (next.ids.at(-1) ?? null) : null;
      await saveProgress(trx, table, row, { reportId, page });
      return true;
    });
  } catch (error) {
    if (current !== undefined) await postpone(db, table, current);
    throw error;
  }
}
