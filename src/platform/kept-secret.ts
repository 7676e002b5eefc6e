import { createHash, randomBytes } from 'node:crypto';
import { openOrNull, type SecretBox } from './secret-box.ts';

/** A secret that is looked up by its value and can be shown again to its owner. */
export interface KeptSecret {
  /** Its SHA-256. A plain hash suffices because secrets are long and random. */
  readonly hash: Buffer;
  /** The encrypted secret. It can be decrypted only together with its hash. */
  readonly sealed: Buffer;
}

const SECRET_BYTES = 32;

/** Creates a secret of letters, digits, `-` and `_`. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function keepSecret(box: Pick<SecretBox, 'seal'>, secret: string): KeptSecret {
  const hash = hashSecret(secret);
  return { hash, sealed: box.seal(secret, keptSecretPurpose(hash)) };
}

/** Decrypts a secret; null if it is not stored or its key has been replaced. */
export function openSecret(box: Pick<SecretBox, 'open'>, hash: Buffer, sealed: Buffer | null): string | null {
  return openOrNull(box, sealed, keptSecretPurpose(hash));
}

/** The purpose with which a kept secret is encrypted. */
export function keptSecretPurpose(hash: Buffer): string {
  return `secret ${hash.toString('hex')}`;
}
