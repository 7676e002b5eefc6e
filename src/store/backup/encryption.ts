import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { isDiskFull } from '../../platform/database-errors.ts';
import { AppError, messageOf } from '../../platform/errors.ts';
import { unusable } from './backup-format.ts';

/**
 * Encryption of backups for the holder of a private key, in the format of age (https://age-encryption.org/v1). The library is
 * loaded when it is used.
 */

const FIRST_LINE = 'age-encryption.org/v1\n';

type Transformation = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * Returns a step of a pipeline that encrypts for a recipient.
 * @throws AppError invalid_usage if it is not a public key
 */
export async function encrypting(recipient: string): Promise<Transformation> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw new AppError('invalid_usage', `The recipient ${recipient} is not an age public key: ${messageOf(cause)}.`, {
      cause,
    });
  }
  return async function* encrypt(source) {
    yield* await encrypter.encrypt(ReadableStream.from(source));
  };
}

/** Returns whether a file begins like an age file. @throws Error of the file system */
export async function isEncrypted(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE.length), 0, FIRST_LINE.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === FIRST_LINE;
  } finally {
    await file.close();
  }
}

/**
 * Decrypts a file.
 * @param identityPath a file as `age-keygen` writes it: private keys on lines of their own, and comments
 * @throws AppError invalid_usage if no key fits, or if the file is damaged
 */
export async function decryptFile(path: string, identityPath: string, output: Writable): Promise<void> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  try {
    for (const line of (await readFile(identityPath, 'utf8')).split('\n')) {
      if (line.trim() !== '' && !line.startsWith('#')) decrypter.addIdentity(line.trim());
    }
  } catch (cause) {
    throw new AppError('invalid_usage', `The identity in ${identityPath} cannot be used: ${messageOf(cause)}.`, {
      cause,
    });
  }
  const encrypted = ReadableStream.from<Uint8Array>(createReadStream(path));
  const decrypted = await decrypter.decrypt(encrypted).catch((cause: unknown) => {
    const problem = `The file cannot be decrypted with the identity in ${identityPath}: ${messageOf(cause)}.`;
    throw new AppError('invalid_usage', `${problem} Use the right identity, or another backup.`, { cause });
  });
  await pipeline(decrypted, output).catch((cause: unknown) => {
    throw isDiskFull(cause) ? cause : unusable(`is damaged: ${messageOf(cause)}`, cause);
  });
}
