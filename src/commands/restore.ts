import type { Config } from '../config.ts';
import { commandLine } from '../platform/invocation.ts';
import { createSecretBox } from '../platform/secret-box.ts';
import { existingSecretKey } from '../platform/secret-key.ts';
import { restoreBackup } from '../store/backup/restore-backup.ts';
import { recordedKeyId } from '../store/backup/stored-secrets.ts';
import type { Database } from '../store/database.ts';
import { pausedSince } from '../store/pause.ts';
import { contentsText } from './backup.ts';
import { recordCommand } from './record-command.ts';
import { requireNoWorkers } from './require-no-workers.ts';
import type { Terminal } from './terminal.ts';
import { withBackup } from './with-backup.ts';
import { withFoundation } from './with-foundation.ts';

export interface RestoreOptions {
  /** Whether the new installation starts paused, for example because it is a copy of an installation that still runs. */
  readonly paused: boolean;
  readonly identity?: string;
}

/** Fills a new installation from a backup. Changes nothing before the whole backup is verified. @param source a file, or `-` */
export async function restoreCommand(
  terminal: Terminal,
  source: string,
  { paused: isPaused, ...options }: RestoreOptions,
): Promise<void> {
  let isNowPaused = isPaused;
  let hasKey = true;
  let restored = '';
  await withBackup(terminal, { source, ...options }, (backup) =>
    withFoundation(terminal, async ({ connectionString, db }, config) => {
      await requireNoWorkers(db, 'would continue with the settings and the key of the database as it was');
      restored = contentsText(await restoreBackup(connectionString, { ...backup, paused: isPaused }));
      await recordCommand(db, 'restore');
      hasKey = await isKeyPresent(db, config);
      // It may also be paused because the backup was made during a pause.
      isNowPaused = (await pausedSince(db)) !== null;
    }),
  );
  const paused = isNowPaused ? `It is paused. To end the pause, run  ${commandLine('resume')}\n` : '';
  terminal.stdout.write(`Restored ${source}: ${restored}\n${paused}${hasKey ? '' : MISSING_KEY}`);
}

const MISSING_KEY =
  'This installation does not have the key of the backup. Before you start serve, copy secret.key of the original, as it was when ' +
  'the backup was made, into the data directory, or set SITEWARDEN_SECRET_KEY.\n';

/** Whether this installation has the key with which the secrets in the database are encrypted. Does not create a key. */
async function isKeyPresent(
  db: Database,
  { secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>,
): Promise<boolean> {
  const recorded = await recordedKeyId(db);
  if (recorded === undefined) return true;
  const key = secretKey ?? (await existingSecretKey(dataDir));
  return key !== null && createSecretBox(key).keyId.equals(recorded);
}
