import { openSecretBox } from '../platform/secret-key.ts';
import { replaceDatabaseKey } from '../store/backup/stored-secrets.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/** Makes the key of this installation the key of the database, after the former key was lost. */
export async function replaceKeyCommand(terminal: Terminal): Promise<void> {
  await withFoundation(terminal, async ({ db }, config) => replaceDatabaseKey(db, await openSecretBox(config)));
  terminal.stdout.write(
    'The database now uses the key of this installation. Restart every process with this key, then enter the credentials ' +
      'of schedules again.\n',
  );
}
