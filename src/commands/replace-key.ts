import { AppError } from '../platform/errors.ts';
import { isRotationPending, openSecretBox } from '../platform/secret-key.ts';
import { replaceDatabaseKey } from '../store/backup/stored-secrets.ts';
import { recordCommand } from './record-command.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

/**
 * Makes the key of this installation the key of the database, after the former key was lost.
 * @throws AppError invalid_usage if a rotation was interrupted, because its key is not lost
 */
export async function replaceKeyCommand(terminal: Terminal): Promise<void> {
  await withFoundation(terminal, async ({ db }, config) => {
    if (config.secretKey === null && isRotationPending(config.dataDir)) {
      throw new AppError('invalid_usage', 'No key is lost: a change of the key was interrupted. Run rotate-key again.');
    }
    await replaceDatabaseKey(db, await openSecretBox(config));
    await recordCommand(db, 'replace-key');
  });
  terminal.stdout.write(
    'The database now uses the key of this installation. Restart every process with this key, then enter the credentials ' +
      'of sites and schedules again.\n',
  );
}
