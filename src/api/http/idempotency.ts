import { createHash } from 'node:crypto';
import { AppError } from '../../platform/errors.ts';
import { createSecretBox, SecretFault } from '../../platform/secret-box.ts';
import { type Executor, inTransaction } from '../../store/database.ts';
import { countIdempotencyKeys, keepAnswer, takeIdempotencyKey } from '../../store/idempotency-keys.ts';
import type { Answer } from './endpoint.ts';
import { idempotencyKeyMaxCharacters, idempotencyKeysMax } from './limits.ts';

/** A request that must not run twice. */
export interface OnceRequest {
  readonly accountId: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** Method, URL and body, which a repeated request must have in common. */
  readonly content: readonly (string | Buffer)[];
}

/**
 * Runs a request once, and returns the stored answer when it is repeated. Its changes and its answer are written in one
 * transaction: a process that is killed leaves nothing behind, and of concurrent requests one runs while the others wait.
 * Errors are not stored, because nothing was changed.
 * @param run must do all its work in the given transaction
 * @throws AppError invalid_request if the key is malformed, invalid if it was used for another request or the account has
 *   used too many keys, conflict if the first answer cannot be read
 */
export function answerOnce(
  db: Executor,
  { accountId, key, content }: OnceRequest,
  run: (trx: Executor) => Promise<Answer>,
): Promise<Answer> {
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > idempotencyKeyMaxCharacters) {
    const detail = `The Idempotency-Key must have 1 to ${idempotencyKeyMaxCharacters} ASCII characters.`;
    throw new AppError('invalid_request', detail);
  }
  const id = { accountId, keyHash: hash([key]) };
  // Includes the key, because a password in a body could be guessed from the hash of the body alone.
  const requestHash = hash([key, ...content]);
  // Encrypted with what only the client knows, since an answer may contain a new token, which is stored nowhere else.
  const box = createSecretBox(Buffer.from(key));
  return inTransaction(db, async (trx) => {
    const earlier = await takeIdempotencyKey(trx, id, requestHash);
    if (earlier === null) {
      // The count includes the key just taken.
      if ((await countIdempotencyKeys(trx, accountId)) > idempotencyKeysMax) {
        const detail = `An account can use ${idempotencyKeysMax} Idempotency-Keys in 24 hours. Send the request without a key.`;
        throw new AppError('invalid', detail);
      }
      const answer = await run(trx);
      await keepAnswer(trx, id, box.seal(JSON.stringify(answer), accountId));
      return answer;
    }
    if (!earlier.requestHash.equals(requestHash)) {
      const detail = 'This Idempotency-Key has been used for another request. Use a new key for each request.';
      throw new AppError('invalid', detail);
    }
    return JSON.parse(openAnswer(() => box.open(earlier.answer, accountId)));
  });
}

/** @throws AppError conflict if the answer cannot be decrypted, as one that an earlier version stored in another form */
function openAnswer(open: () => string): string {
  try {
    return open();
  } catch (cause) {
    if (!(cause instanceof SecretFault)) throw cause;
    const detail =
      'The answer to the first request with this Idempotency-Key can no longer be read. ' +
      'Check whether that request took effect, and use a new key.';
    throw new AppError('conflict', detail, { cause });
  }
}

/** Hashes the parts, each with its length, so that other parts with the same concatenation have another hash. */
function hash(parts: readonly (string | Buffer)[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest();
}
