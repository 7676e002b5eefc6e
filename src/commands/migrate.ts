import { withFoundation } from './with-foundation.ts';

/** Opening the database brings it up to date; this does nothing else. */
export async function migrateCommand(): Promise<void> {
  await withFoundation(async () => undefined);
  process.stdout.write('The database is up to date.\n');
}
