import type { Selectable } from 'kysely';
import type { Database, Executor } from '../database.ts';
import type { InstallationTable } from '../installation-table.ts';
import { recordBackup } from '../notifications/notification-events.ts';

/** The results of the scheduled backups of all processes. */
export type BackupState = Pick<Selectable<InstallationTable>, 'backup_at' | 'backup_failed_at' | 'backup_error'>;

export async function readBackupState(db: Executor): Promise<BackupState> {
  const state = await db
    .selectFrom('installation')
    .select(['backup_at', 'backup_failed_at', 'backup_error'])
    .executeTakeFirst();
  return state ?? { backup_at: null, backup_failed_at: null, backup_error: null };
}

/**
 * Records the outcome of an attempt, and notifies the operators of the first failure and of the first backup after it.
 * @param outcome.begun when the attempt began, and `ended` when it ended
 * @param outcome.error why it failed; null if it did not
 * @param options.sendsEmail whether operators without a channel for this get an email
 */
export function saveBackupOutcome(
  db: Database,
  { begun, ended, error }: { readonly begun: Date; readonly ended: Date; readonly error: string | null },
  { sendsEmail }: { readonly sendsEmail: boolean },
): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const before = await readBackupState(trx);
    const lastAt = error === null ? begun : before.backup_at;
    await trx
      .updateTable('installation')
      .set({ backup_at: lastAt, backup_failed_at: error === null ? null : ended, backup_error: error })
      .execute();
    const isNews = (error === null) !== (before.backup_failed_at === null);
    if (isNews) await recordBackup(trx, { error, lastAt, at: begun }, sendsEmail);
  });
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
