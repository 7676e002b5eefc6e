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
  /** Method, address and body: what must be the same in a repetition. */
  readonly content: readonly (string | Buffer)[];
}

/**
 * Answers a request once. Its changes and its answer are written in one transaction: a process that is killed in between
 * leaves nothing behind, and of several requests at the same time one runs while the others wait. An error is not stored,
 * because nothing was changed.
 * @param run must do all its work in the transaction that it is given
 * @throws AppError invalid_request when the key is malformed, invalid when it was used for another request or the account
 *   has used too many keys, conflict when the first answer cannot be read
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
  // Together with the key: from the hash of a body alone, a password in it could be guessed.
  const requestHash = hash([key, ...content]);
  // Encrypted with what only the client knows: an answer may hold a new token, which is stored nowhere else.
  const box = createSecretBox(Buffer.from(key));
  return inTransaction(db, async (trx) => {
    const earlier = await takeIdempotencyKey(trx, id, requestHash);
    if (earlier === null) {
      // The key that has just been taken counts, too.
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
    try {
      return JSON.parse(box.open(earlier.answer, accountId));
    } catch (cause) {
      if (!(cause instanceof SecretFault)) throw cause;
      // An earlier version stored answers in another form.
      const detail =
        'The answer to the first request with this Idempotency-Key can no longer be read. ' +
        'Check whether that request took effect, and use a new key.';
      throw new AppError('conflict', detail, { cause });
    }
  });
}

/** A hash of the parts, each with its length, so that no other parts give the same. */
function hash(parts: readonly (string | Buffer)[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest();
}
