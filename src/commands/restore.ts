import { restoreBackup } from '../store/backup/restore-backup.ts';
import { readableBackup } from './readable-backup.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Fills a new installation from a file of `backup`. Changes nothing before the whole file is verified. */
export async function restoreCommand(terminal: Terminal, path: string): Promise<void> {
  const manifest = await readableBackup(path);
  await withFoundation(terminal, ({ connectionString }) => restoreBackup(connectionString, path, manifest));
  terminal.stdout.write(`Restored ${path}\n`);
}
