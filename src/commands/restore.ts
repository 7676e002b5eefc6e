import { stat } from 'node:fs/promises';
import { AppError, messageOf } from '../platform/errors.ts';
import { restoreBackup } from '../store/backup/backup.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Fills a new installation from a file of `backup`. */
export async function restoreCommand(terminal: Terminal, path: string): Promise<void> {
  await stat(path).catch((cause: unknown) => {
    throw new AppError('invalid_usage', `${path} cannot be read: ${messageOf(cause)}.`, { cause });
  });
  await withFoundation(terminal, ({ connectionString }) => restoreBackup(connectionString, path));
  terminal.stdout.write(`Restored ${path}\n`);
}
