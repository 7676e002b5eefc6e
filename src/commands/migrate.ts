import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Opens the database, which migrates it. */
export async function migrateCommand(terminal: Terminal): Promise<void> {
  await withFoundation(terminal, async () => undefined);
  terminal.stdout.write('The database is up to date.\n');
}
