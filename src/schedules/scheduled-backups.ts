import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { BACKUP_MODE } from '../store/backup/backup-format.ts';
import { type BackupState, readBackupState, saveBackupOutcome } from '../store/backup/backup-state.ts';
import { withClient } from '../store/backup/backup-tables.ts';
import { verifyBackup } from '../store/backup/verify-backup.ts';
import { writeBackup } from '../store/backup/write-backup.ts';
import type { Database } from '../store/database.ts';

const DAY_MS = 86_400_000;
/** How often a process checks whether a backup is due. */
const LOOK_MS = 60_000;
/** The pause after a failed attempt. */
const RETRY_MS = 3_600_000;

export interface ScheduledBackupSettings {
  /** Where scheduled backups are written; null: there are none. */
  readonly backupDir: string | null;
  /** The time of day, in milliseconds after 00:00 UTC. */
  readonly backupTimeMs: number;
  /** How many backups are kept. */
  readonly backupsKept: number;
  /** The public key for which backups are encrypted; null: they are not encrypted. */
  readonly backupRecipient: string | null;
}

interface BackupParts extends ScheduledBackupSettings {
  readonly db: Database;
  readonly connectionString: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this process has a mail server. */
  readonly sendsEmail: boolean;
}

/**
 * Makes a backup each day, and at once if there is none yet, until stopped. Several processes may do so at the same time: one of
 * them makes it.
 */
export function startScheduledBackups(parts: BackupParts): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    // The next backup may not be due until tomorrow.
    if (parts.backupDir !== null) await sayIfUnusable(parts.backupDir, parts.log);
    while (parts.backupDir !== null && !signal.aborted) {
      await backUpIfDue(parts, parts.backupDir, signal).catch((error: unknown) => {
        parts.log.warn({ reason: messageOf(error) }, 'Could not check whether a backup is due; will retry');
      });
      await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function sayIfUnusable(directory: string, log: Logger): Promise<void> {
  await ensureWritableDirectory(directory).catch((error: unknown) => {
    log.error(
      { reason: messageOf(error), directory },
      'Scheduled backups will fail, because their folder cannot be used',
    );
  });
}

/**
 * Makes a backup if one is due and no other process is making it. A backup that the signal interrupts leaves nothing behind, and
 * is due again.
 * @throws database errors
 */
export async function backUpIfDue(
  parts: BackupParts,
  directory: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const { db, clock, log } = parts;
  if (!isDue(await readBackupState(db), parts)) return;
  await whileLocked(parts, async () => {
    // Another process may have finished in the meantime.
    if (!isDue(await readBackupState(db), parts)) return;
    const begun = clock();
    try {
      const file = await writeInto(directory, begun, parts, signal);
      log.info(
        { file, seconds: Math.round((clock().getTime() - begun.getTime()) / 1_000) },
        'Wrote the scheduled backup',
      );
    } catch (error) {
      if (signal.aborted) return log.info('Interrupted the scheduled backup; it will be made again');
      log.error({ reason: messageOf(error), directory }, 'The scheduled backup failed; will retry in an hour');
      return saveBackupOutcome(db, { begun, ended: clock(), error: messageOf(error) }, parts);
    }
    await saveBackupOutcome(db, { begun, ended: clock(), error: null }, parts);
    await rotate(directory, parts).catch((error: unknown) => {
      log.warn({ reason: messageOf(error), directory }, 'Could not delete old backups; will retry after the next one');
    });
  });
}

/** Does work unless another process holds the lock of backups. */
function whileLocked({ connectionString }: BackupParts, work: () => Promise<void>): Promise<void> {
  return withClient(connectionString, async (client) => {
    const lock = await client.query<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"', [
      ADVISORY_LOCKS.backup,
    ]);
    if (lock.rows[0]?.isLocked === true) await work();
  });
}

/** Whether no backup has been made since the last scheduled time, and no attempt has failed recently. */
function isDue(state: BackupState, { clock, backupTimeMs }: BackupParts): boolean {
  const now = clock().getTime();
  const lastTime = Math.floor((now - backupTimeMs) / DAY_MS) * DAY_MS + backupTimeMs;
  const failedAt = state.backup_failed_at?.getTime() ?? 0;
  return (state.backup_at?.getTime() ?? 0) < lastTime && now - failedAt >= RETRY_MS;
}

/** @returns the path of the verified backup: if it is encrypted, nothing here can read it, so its digest is verified */
async function writeInto(
  directory: string,
  begun: Date,
  parts: Pick<BackupParts, 'connectionString' | 'backupRecipient' | 'backupsKept' | 'log'>,
  signal: AbortSignal,
): Promise<string> {
  const { connectionString, backupRecipient } = parts;
  await ensureWritableDirectory(directory);
  // Also before writing, so that files that killed processes have left do not fill the disk.
  await rotate(directory, parts);
  const time = begun.toISOString().replace(/[-:]|\.\d+/g, '');
  const path = join(directory, `sitewarden-${time}.zip${backupRecipient === null ? '' : '.age'}`);
  const { digest } = await writeWholeFile(
    path,
    (file) => writeBackup(connectionString, file, backupRecipient, signal),
    BACKUP_MODE,
  );
  const verifying = backupRecipient === null ? verifyBackup(path, signal) : requireDigest(path, digest, signal);
  await verifying.catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
  return path;
}

async function requireDigest(path: string, digest: Buffer, signal: AbortSignal): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  if (!hash.digest().equals(digest)) throw new Error('The file differs from what was written to it.');
}

/** Names of backups sort by time. */
const BACKUP_NAME = /^sitewarden-\d{8}T\d{6}Z\.zip(\.age)?$/;
/** Files that a killed process has left. */
const UNFINISHED_NAME = /^sitewarden-\d{8}T\d{6}Z\.zip(\.age)?\.[^.]+\.part$/;

/** Deletes old backups. What cannot be deleted now can be deleted later, so errors are only logged. */
async function rotate(
  directory: string,
  { backupsKept, log }: Pick<BackupParts, 'backupsKept' | 'log'>,
): Promise<void> {
  const names = await readdir(directory);
  const backups = names.filter((name) => BACKUP_NAME.test(name)).sort();
  const old = backups.slice(0, Math.max(backups.length - backupsKept, 0));
  for (const name of [...old, ...names.filter((other) => UNFINISHED_NAME.test(other))]) {
    await rm(join(directory, name), { force: true }).catch((error: unknown) => {
      log.warn(
        { reason: messageOf(error), directory, name },
        'Could not delete an old backup; will retry with the next',
      );
    });
  }
}
