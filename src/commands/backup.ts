import { dirname } from 'node:path';
import { AppError, messageOf } from '../platform/errors.ts';
import { writeWholeFile } from '../platform/whole-file.ts';
import { ensureWritableDirectory } from '../platform/writable-directory.ts';
import { writeBackup } from '../store/backup/backup.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Passwords and tokens are in it as hashes, and sessions as they are: only the user that made it may read it. */
const BACKUP_MODE = 0o600;

/**
 * Writes the database to a file, whether or not a service uses it. A file that is there is replaced at once, or stays as it is.
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
