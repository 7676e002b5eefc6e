import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { RetryLater } from '../platform/errors.ts';
import { createSemaphore } from '../platform/semaphore.ts';

/**
 * NIST SP 800-63B-4 requires 15 characters for a password that is the only factor, or 8 with another factor; rules beyond length
 * do harm.
 */
export const PASSWORD_CHARACTERS = { min: 10, max: 1_000 } as const;

/** Argon2id with the minimum that OWASP recommends. A hash takes about 30 ms on one core and 19 MiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Hashes that a process computes at a time. Node.js has four threads for hashes, files and compression. */
const HASHES_AT_A_TIME = 2;
const WAIT_MAX_MS = 10_000;
const BUSY_RETRY_S = 5;

/** Hashes and verifies passwords. */
export interface Passwords {
  /** @returns the stored form: Argon2id in the PHC string format */
  hash(password: string): Promise<string>;
  /**
   * Returns whether a password matches a stored hash.
   * @param stored null if there is none: still computes a hash, so that both cases take equally long
   */
  matches(password: string, stored: string | null): Promise<boolean>;
}

interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

const compute = promisify(argon2);

/** The functions throw RetryLater `unavailable` when too many hashes wait to be computed. */
export function createPasswords(): Passwords {
  const slots = createSemaphore(HASHES_AT_A_TIME);
  const hashWith = async (password: string, nonce: Buffer, cost: Cost): Promise<Buffer> => {
    const release = await slots.acquire('password', AbortSignal.timeout(WAIT_MAX_MS)).catch((cause: unknown) => {
      const detail = 'Too many users are signing in right now. Try again in a moment.';
      throw new RetryLater('unavailable', detail, BUSY_RETRY_S, { cause });
    });
    try {
      // The same characters, regardless of how a keyboard composes them (NIST SP 800-63B-4, 3.1.1.2).
      const message = password.normalize('NFKC');
      return await compute('argon2id', { message, nonce, tagLength: HASH_BYTES, ...cost });
    } finally {
      release();
    }
  };
  /** Used for the comparison if there is no password, so that the response time does not reveal this. */
  const decoyHash = formatted(COST, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return formatted(COST, salt, await hashWith(password, salt, COST));
    },
    async matches(password, stored) {
      const { cost, salt, hash } = parsed(stored ?? decoyHash);
      return timingSafeEqual(await hashWith(password, salt, cost), hash);
    },
  };
}

function formatted({ memory, passes, parallelism }: Cost, salt: Buffer, hash: Buffer): string {
  const parameters = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${parameters}$${unpadded(salt)}$${unpadded(hash)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function parsed(stored: string): { readonly cost: Cost; readonly salt: Buffer; readonly hash: Buffer } {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(stored);
  if (parts === null) throw new Error('A stored password hash has an unknown format.');
  const [, memory, passes, parallelism, salt = '', hash = ''] = parts;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}
