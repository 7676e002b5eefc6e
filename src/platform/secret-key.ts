import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, codeOf, messageOf } from './errors.ts';
import { createSecretBox, newSecretKey, parseSecretKey, type SecretBox } from './secret-box.ts';

const FILE = 'secret.key';
/** The key that a rotation changes to. */
const NEXT_FILE = 'secret.key.new';

/**
 * Opens the box with the key from the settings, or else with the key in the data directory.
 * @throws AppError secret_key_unusable
 */
export async function openSecretBox(settings: {
  readonly secretKey: Buffer | null;
  readonly dataDir: string;
}): Promise<SecretBox> {
  return createSecretBox(settings.secretKey ?? (await keptSecretKey(settings.dataDir)));
}

/**
 * Returns the key in the data directory, created on first use.
 * @throws AppError secret_key_unusable
 */
export async function keptSecretKey(dataDir: string): Promise<Buffer> {
  return keyIn(join(dataDir, FILE));
}

/** Returns the key in the data directory; null if there is none. @throws AppError secret_key_unusable */
export async function existingSecretKey(dataDir: string): Promise<Buffer | null> {
  return existsSync(join(dataDir, FILE)) ? keptSecretKey(dataDir) : null;
}

/** Returns whether a rotation was interrupted before it changed the key in the data directory. */
export function isRotationPending(dataDir: string): boolean {
  return existsSync(join(dataDir, NEXT_FILE));
}

/** Returns the key for a rotation, created on first use: a rotation that was interrupted continues with the same key. */
export function nextSecretKey(dataDir: string): Promise<Buffer> {
  return keyIn(join(dataDir, NEXT_FILE));
}

/** Makes the key of a rotation the key of the data directory. @returns the path of the former key, which is kept */
export async function adoptNextKey(dataDir: string, now: Date): Promise<string> {
  const path = join(dataDir, FILE);
  const former = `${path}.until-${now.toISOString().replaceAll(':', '-')}`;
  await link(path, former);
  await rename(join(dataDir, NEXT_FILE), path);
  return former;
}

async function keyIn(path: string): Promise<Buffer> {
  try {
    const text = (await read(path)) ?? (await make(path));
    const key = parseSecretKey(text.trim());
    if (key === null) throw new Error('it does not contain a key');
    return key;
  } catch (cause) {
    throw new AppError(
      'secret_key_unusable',
      `The key in ${path} cannot be used: ${messageOf(cause)}. Restore it from a backup. If it is lost, delete the ` +
        'file and run the command replace-key: it creates a new key, and you must enter stored credentials again.',
      { cause },
    );
  }
}

async function read(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}

/** Writes a new key atomically unless another process is faster. @returns the stored key */
async function make(path: string): Promise<string> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${newSecretKey().toString('base64')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // Unlike rename, link never replaces a file.
    await link(draft, path).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}
