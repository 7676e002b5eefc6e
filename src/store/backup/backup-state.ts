import { type Selectable, sql } from 'kysely';
import type { Executor } from '../database.ts';
import type { InstallationTable } from '../installation-table.ts';

/** What became of scheduled backups, of all processes together. */
export type BackupState = Pick<
  Selectable<InstallationTable>,
  'backup_at' | 'backup_failed_at' | 'backup_error' | 'backup_notify'
>;

export async function readBackupState(db: Executor): Promise<BackupState> {
  const state = await db
    .selectFrom('installation')
    .select(['backup_at', 'backup_failed_at', 'backup_error', 'backup_notify'])
    .executeTakeFirst();
  return state ?? { backup_at: null, backup_failed_at: null, backup_error: null, backup_notify: [] };
}

/**
 * Records the outcome of an attempt, or who has yet to be notified of it.
 * @param isNews whether all operators have yet to be notified of it
 */
export async function saveBackupState(db: Executor, state: Partial<BackupState>, isNews = false): Promise<void> {
  const operators = sql<string[]>`ARRAY(SELECT id FROM accounts WHERE operator AND disabled_at IS NULL)`;
  await db
    .updateTable('installation')
    .set({ ...state, ...(isNews && { backup_notify: operators }) })
    .execute();
}

/** A backup is late after two days. */
const LATE_MS = 172_800_000;

/** Describes the last scheduled backup. @throws Error if it failed or is late */
export function describeBackups(
  { backup_at: at, backup_error: error }: Pick<BackupState, 'backup_at' | 'backup_error'>,
  now: Date,
): string {
  const hours = at === null ? null : Math.floor((now.getTime() - at.getTime()) / 3_600_000);
  const last = hours === null ? 'no scheduled backup yet' : `the last one is ${hours} hours old`;
  if (error !== null) throw new Error(`${last}, and the next one failed: ${error}`);
  if (at !== null && now.getTime() - at.getTime() > LATE_MS) throw new Error(`${last}: start serve, or see its log`);
  return last;
}
