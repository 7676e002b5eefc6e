import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets of this installation. */
export interface SecretBox {
  /** @param purpose what the secret is for, such as a column of a row: only the same purpose decrypts it */
  seal(secret: string, purpose: string): Buffer;
  /** @throws SecretFault */
  open(sealed: Uint8Array, purpose: string): string;
  /** Returns a code of 32 bytes for a string, which only this installation can compute. */
  sign(text: string): Buffer;
  /** Identifies the key and the format: everything that it encrypts begins with this. */
  readonly keyId: Buffer;
}

/** A stored secret is damaged, or was encrypted with a different key or for a different location. */
export class SecretFault extends Error {
  override readonly name = 'SecretFault';
}

const KEY_BYTES = 32;
/** Random keys practically never have fewer distinct bytes; words and repetitions rarely have more. */
const DISTINCT_BYTES_MIN = 16;

/** The first byte of everything encrypted. Another format gets another number. */
const VERSION = 1;
const CIPHER = 'aes-256-gcm';
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function newSecretKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/**
 * Reads a key: 32 random bytes, as 64 hexadecimal digits or in base64, in either alphabet, padded or not.
 * @returns null for anything else, and for a key that is obviously not random
 */
export function parseSecretKey(text: string): Buffer | null {
  const isHex = /^[\da-f]{64}$/i.test(text);
  if (!isHex && !/^[\w+/-]{43}=?$/.test(text)) return null;
  const key = Buffer.from(text, isHex ? 'hex' : 'base64');
  return key.length === KEY_BYTES && new Set(key).size >= DISTINCT_BYTES_MIN ? key : null;
}

/** Encrypts with AES-256-GCM and a random nonce. The format is version, key id, nonce, tag, content. */
export function createSecretBox(key: Buffer): SecretBox {
  const cipherKey = derived(key, 'encryption', KEY_BYTES);
  const signingKey = derived(key, 'signatures', KEY_BYTES);
  const keyId = Buffer.concat([Buffer.of(VERSION), derived(key, 'key id', KEY_ID_BYTES)]);
  return {
    keyId,
    sign: (text) => createHmac('sha256', signingKey).update(text).digest(),
    seal(secret, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(purpose),
      );
      const content = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([keyId, nonce, cipher.getAuthTag(), content]);
    },
    open(sealed, purpose) {
      const [mark, nonce, tag, content] = parts(sealed, [keyId.length, NONCE_BYTES, TAG_BYTES]);
      if (!keyId.equals(mark)) throw new SecretFault('A stored secret was encrypted with another key.');
      try {
        const decipher = createDecipheriv(CIPHER, cipherKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
        return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new SecretFault('A stored secret is damaged.', { cause });
      }
    },
  };
}

/** Decrypts a secret; null if there is none, or it cannot be decrypted with the current key. */
export function openOrNull(box: Pick<SecretBox, 'open'>, sealed: Uint8Array | null, purpose: string): string | null {
  if (sealed === null) return null;
  try {
    return box.open(sealed, purpose);
  } catch (error) {
    if (error instanceof SecretFault) return null;
    throw error;
  }
}

function derived(key: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `sitewarden secret box, ${purpose}`, bytes));
}

/** Splits bytes into parts of the given lengths and the rest. If bytes are missing, parts are shorter and decryption fails. */
function parts(bytes: Uint8Array, [first, second, third]: readonly [number, number, number]) {
  return [
    bytes.subarray(0, first),
    bytes.subarray(first, first + second),
    bytes.subarray(first + second, first + second + third),
    bytes.subarray(first + second + third),
  ] as const;
}
