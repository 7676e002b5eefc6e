import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { AppError } from '../../platform/errors.ts';
import { type Executor, inTransaction } from '../../store/database.ts';
import { countIdempotencyKeys, keepAnswer, takeIdempotencyKey } from '../../store/idempotency-keys.ts';
import { idempotencyKeyMaxCharacters, idempotencyKeysMax } from '../limits.ts';
import type { Answer } from './endpoint.ts';

/** A request that must not be done twice. */
export interface OnceRequest {
  readonly accountId: string;
  /** The `Idempotency-Key` header. */
  readonly key: string;
  /** Method, address and body: what must be the same in a repetition. */
  readonly content: readonly (string | Buffer)[];
}

/**
 * Answers a request once. Everything that is done for it, and the answer, come into being in one transaction: a process
 * that ends in between leaves nothing, and of several requests at once one does it while the others wait. An answer that
 * is an error is not kept, because nothing was done.
 * @param run must do all its work on the transaction that it is given
 * @throws AppError invalid_request when the key is none, invalid when it was used for another request, or the account has
 *   used as many as it may
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
  // The key is in it, since a body may hold a password, which its hash alone would let people guess.
  const requestHash = hash([key, ...content]);
  return inTransaction(db, async (trx) => {
    const earlier = await takeIdempotencyKey(trx, id, requestHash);
    if (earlier === null) {
      // The one that has just been taken is among them.
      if ((await countIdempotencyKeys(trx, accountId)) > idempotencyKeysMax) {
        const detail = `An account can use ${idempotencyKeysMax} Idempotency-Keys in 24 hours. Send the request without one.`;
        throw new AppError('invalid', detail);
      }
      const answer = await run(trx);
      await keepAnswer(trx, id, seal(answer, key, accountId));
      return answer;
    }
    if (!earlier.requestHash.equals(requestHash)) {
      const detail = 'This Idempotency-Key has been used for another request. Take a new key for each request.';
      throw new AppError('invalid', detail);
    }
    return open(earlier.answer, key, accountId);
  });
}

/** The parts one after another, each with its length, so that no other parts give the same. */
function hash(parts: readonly (string | Buffer)[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest();
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts an answer with what only the client knows: it may hold a new token, which is kept nowhere. */
function seal(answer: Answer, key: string, accountId: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey(key, accountId), nonce, { authTagLength: TAG_BYTES });
  const content = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), content]);
}

function open(sealed: Buffer, key: string, accountId: string): Answer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, cipherKey(key, accountId), nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const content = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
  return JSON.parse(Buffer.concat([content, decipher.final()]).toString('utf8'));
}

function cipherKey(key: string, accountId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, accountId, 'idempotent answer', 32));
}
