import { openSecretBox } from '../platform/secret-key.ts';
import { replaceDatabaseKey } from '../store/stored-secrets.ts';
import { withFoundation } from './with-foundation.ts';

/** Makes the key of this installation that of the database, after the former key was lost. */
export async function replaceKeyCommand(): Promise<void> {
  await withFoundation(async ({ db }, config) => replaceDatabaseKey(db, await openSecretBox(config)));
  process.stdout.write(
    'The database now uses the key of this installation. Restart every process with this key, and enter the credentials ' +
      'of schedules again.\n',
  );
}
