import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { plural } from '../domain/amounts.ts';
import { AppError, messageOf } from '../platform/errors.ts';
import { createSecretBox, parseSecretKey, type SecretBox } from '../platform/secret-box.ts';
import { adoptNextKey, keptSecretKey, nextSecretKey } from '../platform/secret-key.ts';
import {
  isDatabaseKey,
  type RotatedSecrets,
  rotateDatabaseKey,
  verifyDatabaseKey,
} from '../store/backup/stored-secrets.ts';
import type { Database } from '../store/database.ts';
import { recordCommand } from './record-command.ts';
import { requireNoWorkers } from './require-no-workers.ts';
import type { Terminal } from './terminal.ts';
import { withFoundation } from './with-foundation.ts';

export interface RotateKeyOptions {
  /** The file with the former key, if the new one is in the settings. */
  readonly formerKey?: string;
}

/**
 * Encrypts all stored secrets with a new key: the key in the settings, or a key that it creates in the data directory.
 * @throws AppError invalid_usage, secret_key_mismatch
 */
export async function rotateKeyCommand(terminal: Terminal, { formerKey }: RotateKeyOptions): Promise<void> {
  const notes = await withFoundation(terminal, async ({ db }, config) => {
    await requireNoWorkers(db, 'would continue with the former key');
    return config.secretKey === null
      ? rotateKeptKey(db, config, formerKey)
      : rotateGivenKey(db, config.secretKey, formerKey);
  });
  terminal.stdout.write(`${notes.join('\n')}\n`);
}

/** @returns lines for the operator */
async function rotateGivenKey(db: Database, key: Buffer, formerKey: string | undefined): Promise<string[]> {
  const to = createSecretBox(key);
  if (await isDatabaseKey(db, to)) return ['The database already uses the key in SITEWARDEN_SECRET_KEY.'];
  if (formerKey === undefined) {
    throw new AppError(
      'invalid_usage',
      'Set SITEWARDEN_SECRET_KEY to the new key, and pass a file that contains the former key: rotate-key --former-key FILE',
    );
  }
  const from = createSecretBox(await readKey(formerKey));
  return [...(await rotate(db, from, to)), 'Start every process with the new SITEWARDEN_SECRET_KEY.'];
}

async function rotateKeptKey(
  db: Database,
  { dataDir }: Pick<Config, 'dataDir'>,
  formerKey: string | undefined,
): Promise<string[]> {
  if (formerKey !== undefined) {
    throw new AppError('invalid_usage', '--former-key requires the new key in SITEWARDEN_SECRET_KEY.');
  }
  const from = createSecretBox(await keptSecretKey(dataDir));
  const to = createSecretBox(await nextSecretKey(dataDir));
  // If the database already uses the new key, an earlier rotation was interrupted before it changed the file.
  const done = (await isDatabaseKey(db, to)) ? [] : await rotate(db, from, to);
  const former = await adoptNextKey(dataDir, new Date());
  return [...done, `The new key is in secret.key. Earlier backups require the former key, ${former}`];
}

async function rotate(db: Database, from: SecretBox, to: SecretBox): Promise<string[]> {
  await verifyDatabaseKey(db, from);
  const { rotated, unreadable }: RotatedSecrets = await rotateDatabaseKey(db, from, to);
  await recordCommand(db, 'rotate-key');
  return [
    `Encrypted ${plural(rotated, 'secret')} with the new key.`,
    ...(unreadable === 0 ? [] : [`${plural(unreadable, 'secret')} could not be decrypted with the former key.`]),
  ];
}

/** @throws AppError invalid_usage */
async function readKey(path: string): Promise<Buffer> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new AppError('invalid_usage', `The former key cannot be read: ${messageOf(cause)}`, { cause });
  });
  const key = parseSecretKey(text.trim());
  if (key === null) throw new AppError('invalid_usage', `${path} does not contain a key.`);
  return key;
}
