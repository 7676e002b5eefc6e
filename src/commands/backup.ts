import { dirname } from 'node:path';
import { AppError, messageOf } from '../platform/errors.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { writeBackup } from '../store/backup/write-backup.ts';
import { readableBackup } from './readable-backup.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** It contains hashes of passwords and tokens, and sessions unhashed: only the user that created it may read it. */
const BACKUP_MODE = 0o600;

/**
 * Writes the database to a file, whether or not a service uses it. An existing file is replaced atomically, or stays unchanged.
 * @throws AppError invalid_usage if the folder of the file cannot be written to
 */
export async function backupCommand(terminal: Terminal, path: string): Promise<void> {
  await ensureWritableDirectory(dirname(path)).catch((cause: unknown) => {
    throw new AppError('invalid_usage', `${path} cannot be written: ${messageOf(cause)}.`, { cause });
  });
  await withFoundation(terminal, ({ connectionString }) =>
    writeWholeFile(path, (file) => writeBackup(connectionString, file), BACKUP_MODE),
  );
  terminal.stdout.write(
    `Wrote ${path}\nAlso back up secret.key from the data directory, or SITEWARDEN_SECRET_KEY: stored credentials are encrypted with this key.\n`,
  );
}

/** Verifies a file of `backup` without a database. @throws AppError invalid_usage if it is damaged or not a backup */
export async function verifyBackupCommand(terminal: Terminal, path: string): Promise<void> {
  const { version, created_at, tables } = await readableBackup(path);
  const count = Object.keys(tables).length;
  terminal.stdout.write(`${path} is whole: ${count} tables, made by version ${version} at ${created_at}\n`);
}
