import { openSecretBox } from '../platform/secret-key.ts';
import { replaceDatabaseKey } from '../store/stored-secrets.ts';
import { withFoundation } from './with-foundation.ts';

/** Makes the key of this installation the database's, where the one before is lost. */
export async function replaceKeyCommand(): Promise<void> {
  await withFoundation(async ({ db }, config) => replaceDatabaseKey(db, await openSecretBox(config)));
  process.stdout.write(
    'The database has the key of this installation now. Start every process anew with this key, and enter the credentials ' +
      'of schedules again.\n',
  );
}
