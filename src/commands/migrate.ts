import { withFoundation } from './with-foundation.ts';

/** Opens the database, which migrates it. */
export async function migrateCommand(): Promise<void> {
  await withFoundation(async () => undefined);
  process.stdout.write('The database is up to date.\n');
}
