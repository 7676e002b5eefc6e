import { randomBytes } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, messageOf } from './errors.ts';
import { newSecretKey, parseSecretKey } from './secret-box.ts';

const FILE = 'secret.key';

/**
 * The key that is kept in the data directory, made by whichever process comes first.
 * @throws AppError secret_key_unusable
 */
export async function keptSecretKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, FILE);
  try {
    const text = (await read(path)) ?? (await make(path));
    const key = parseSecretKey(text.trim());
    if (key === null) throw new Error('it does not hold a key');
    return key;
  } catch (cause) {
    throw new AppError(
      'secret_key_unusable',
      `The key in ${path} cannot be used: ${messageOf(cause)}. Restore it from a backup, or delete it: then a new key is ` +
        'created, and credentials for sites have to be entered again.',
      { cause },
    );
  }
}

async function read(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
}

/** Puts a new key there, whole or not at all, unless another process is faster. Gives the one that is there then. */
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
    // Unlike a renaming, a link never takes the place of a file.
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return readFile(path, 'utf8');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
