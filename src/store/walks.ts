import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Executor } from './database.ts';
import type { Decision } from './decisions/decision-tables.ts';
import type { Muting } from './mutings/muting-tables.ts';
import type { Schema } from './schema.ts';

/**
 * Rows that are applied to existing reports in the background, newest report first: the row is the job and stores its progress,
 * and the lock on the row is the claim.
 */
export interface Walked {
  readonly mutings: Muting;
  readonly decisions: Decision;
}
export type WalkedTable = keyof Walked;
export type WalkedRow = Pick<Muting, 'id' | 'deleted_at' | 'walked_report' | 'walked_page'>;

/** Pages of a report to which a row has yet to be applied. */
export interface NextPages {
  readonly ids: readonly number[];
  /** Whether the report has no more of them. */
  readonly isLast: boolean;
}

/** Columns of a row that has to be applied to all reports again. */
export const FROM_THE_START = sql`walk_pending = true, walked_report = DEFAULT, walked_page = NULL`;

/** Locks the pending row that has waited longest; undefined if none is free. */
export async function lockPending<Table extends WalkedTable>(
  trx: Transaction<Schema>,
  table: Table,
): Promise<Walked[Table] | undefined> {
  const { rows } = await sql<Walked[Table]>`
    SELECT * FROM ${sql.table(table)} WHERE walk_pending ORDER BY walked_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`.execute(
    trx,
  );
  return rows[0];
}

/** Builds the condition that a row has yet to be applied to a report, or to some of its pages. */
export function isLeft({ walked_report: report, walked_page: page }: WalkedRow): RawBuilder<boolean> {
  return page === null ? sql<boolean>`id < ${report}` : sql<boolean>`id <= ${report}`;
}

/** Returns the id of the last page of the report to which a row has been applied; 0 for none. */
export function lastPageOf({ walked_report: report, walked_page: page }: WalkedRow, reportId: string): number {
  return report === reportId ? (page ?? 0) : 0;
}

/** Saves the progress of a pending row: up to a page of the report, or to the end of the report if that is null. */
export async function saveProgress(
  trx: Transaction<Schema>,
  table: WalkedTable,
  { id }: WalkedRow,
  to: { readonly reportId: string; readonly page: number | null },
): Promise<void> {
  await sql`UPDATE ${sql.table(table)} SET walked_report = ${to.reportId}, walked_page = ${to.page}, walked_at = clock_timestamp()
    WHERE id = ${id}`.execute(trx);
}

/** Lets other pending rows go first, because applying this row has failed. */
export async function postpone(db: Executor, table: WalkedTable, { id }: WalkedRow): Promise<void> {
  await sql`UPDATE ${sql.table(table)} SET walked_at = clock_timestamp() WHERE id = ${id}`.execute(db);
}

/** Marks a row as applied to all reports; deletes it if its owner has deleted it. */
export async function finishWalk(trx: Transaction<Schema>, table: WalkedTable, row: WalkedRow): Promise<void> {
  const isDeleted = row.deleted_at !== null;
  await (isDeleted
    ? sql`DELETE FROM ${sql.table(table)} WHERE id = ${row.id}`
    : sql`UPDATE ${sql.table(table)} SET walk_pending = false WHERE id = ${row.id}`
  ).execute(trx);
}
