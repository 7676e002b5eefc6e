import { newSecret } from '../platform/kept-secret.ts';
import { openOrNull, type SecretBox } from '../platform/secret-box.ts';

/** The purpose of the encrypted value. */
const PURPOSE = 'known device';

/** A browser that has signed in to an account before. */
export interface KnownDevice {
  readonly accountId: string;
  /** Random, and different after each sign-in. */
  readonly id: string;
}

/**
 * Returns the value that a browser keeps after a sign-in. Only this installation can create or read the value, and it stores
 * nothing for it.
 */
export function sealDevice(box: SecretBox, accountId: string): string {
  const device: KnownDevice = { accountId, id: newSecret() };
  return box.seal(JSON.stringify(device), PURPOSE).toString('base64url');
}

/** Returns the device that a browser claims to be; null unless `sealDevice` created the value with the current key. */
export function openDevice(box: SecretBox, text: string | undefined): KnownDevice | null {
  const device = openOrNull(box, text === undefined ? null : Buffer.from(text, 'base64url'), PURPOSE);
  return device === null ? null : JSON.parse(device);
}
