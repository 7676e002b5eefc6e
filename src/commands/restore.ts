import { restoreBackup } from '../store/backup/restore-backup.ts';
import type { Terminal } from './terminal.ts';
import { withBackup } from './with-backup.ts';
import { withFoundation } from './with-foundation.ts';

/** Fills a new installation from a backup. Changes nothing before the whole backup is verified. @param source a file, or `-` */
export async function restoreCommand(terminal: Terminal, source: string): Promise<void> {
  await withBackup(terminal, source, ({ path, manifest }) =>
    withFoundation(terminal, ({ connectionString }) => restoreBackup(connectionString, path, manifest)),
  );
  terminal.stdout.write(`Restored ${source}\n`);
}
