import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { plural } from '../domain/amounts.ts';
import { embeddedDatabaseIn } from '../foundation.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { BACKUP_MODE, type BackupContents } from '../store/backup/backup-format.ts';
import { hasInstallation } from '../store/backup/backup-tables.ts';
import { writeBackup } from '../store/backup/write-backup.ts';
import { backupOutput } from './backup-output.ts';
import type { Terminal } from './terminal.ts';
import { type BackupSource, STANDARD_STREAM, withBackup } from './with-backup.ts';
import { withFoundation } from './with-foundation.ts';

export interface BackupOptions {
  /** The public key for which the backup is encrypted, in place of the setting. */
  readonly recipient?: string;
}

const KEY_REMINDER =
  'Also back up secret.key from the data directory, or SITEWARDEN_SECRET_KEY: stored credentials are encrypted with this key.\n';

/**
 * Writes the database to a file, whether or not a service uses it. An existing file is replaced atomically, or stays unchanged.
 * @param target the file, or `-` for standard output
 * @throws AppError invalid_usage if there is no database, or the folder of the file cannot be written to; disk_full,
 *   output_failed
 */
export async function backupCommand(terminal: Terminal, target: string, options: BackupOptions): Promise<void> {
  await requireInstallation(terminal.config());
  if (target === STANDARD_STREAM) return backupToOutput(terminal, options);
  await ensureWritableDirectory(dirname(target)).catch((cause: unknown) => {
    throw new AppError('invalid_usage', `${target} cannot be written: ${messageOf(cause)}.`, { cause });
  });
  const { contents } = await withFoundation(terminal, ({ connectionString }, { backupRecipient }) =>
    writeWholeFile(
      target,
      (file) => writeBackup(connectionString, backupOutput(file, target, true), options.recipient ?? backupRecipient),
      BACKUP_MODE,
    ),
  );
  terminal.stdout.write(`Wrote ${target}: ${contentsText(contents)}\n${KEY_REMINDER}`);
}

/**
 * Without this, a wrong setting would replace a good backup with a backup of a new, empty database.
 * @throws AppError invalid_usage
 */
async function requireInstallation({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<void> {
  if (databaseUrl === null) {
    if (existsSync(embeddedDatabaseIn(dataDir))) return;
    throw noInstallation(`There is no database in ${dataDir}`);
  }
  // Opening the database reports why it cannot be used.
  if (await hasInstallation(databaseUrl).catch(() => true)) return;
  throw noInstallation('The database that DATABASE_URL names is empty: it has no sitewarden tables');
}

function noInstallation(problem: string): AppError {
  return new AppError(
    'invalid_usage',
    `${problem}. Set SITEWARDEN_DATA_DIR or DATABASE_URL to the same value as for serve.`,
  );
}

/** Describes how much a backup contains, so that an operator notices if it is the wrong backup. */
export function contentsText({ reports, pages }: BackupContents): string {
  return `${plural(reports, 'report')} with ${plural(pages, 'page')}`;
}

async function backupToOutput(terminal: Terminal, options: BackupOptions): Promise<void> {
  const { stdout, stderr } = terminal;
  if (stdout.isTTY === true) {
    throw new AppError('invalid_usage', 'A backup is not text. Redirect the output to a file or a program.');
  }
  const { contents } = await withFoundation(terminal, ({ connectionString }, { backupRecipient }) =>
    writeBackup(connectionString, backupOutput(stdout, 'standard output', false), options.recipient ?? backupRecipient),
  );
  stderr.write(`Wrote ${contentsText(contents)}\n${KEY_REMINDER}`);
}

/** Verifies a backup without a database. @throws AppError invalid_usage if it is damaged or not a backup */
export async function verifyBackupCommand(
  terminal: Terminal,
  source: string,
  options: Omit<BackupSource, 'source'>,
): Promise<void> {
  await withBackup(terminal, { source, ...options }, async ({ manifest, contents }) => {
    const { version, created_at, tables } = manifest;
    const count = Object.keys(tables).length;
    const what = contents === null ? '' : `${contentsText(contents)} in `;
    terminal.stdout.write(
      `${source} is complete and unchanged: ${what}${count} tables, made by version ${version} at ${created_at}\n`,
    );
  });
}
