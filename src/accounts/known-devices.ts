import { newSecret } from '../platform/kept-secret.ts';
import { openOrNull, type SecretBox } from '../platform/secret-box.ts';

/** For what it is encrypted. */
const OCCURRENCE = 'known device';

/** A browser that has signed in to an account before. */
export interface KnownDevice {
  readonly accountId: string;
  /** Random, and another one after each sign-in. */
  readonly id: string;
}

/** Returns what a browser keeps after a sign-in. Only this installation can make it or read it, and it stores nothing. */
export function sealDevice(box: SecretBox, accountId: string): string {
  const device: KnownDevice = { accountId, id: newSecret() };
  return box.seal(JSON.stringify(device), OCCURRENCE).toString('base64url');
}

/** Returns the device that a browser says it is; null unless `sealDevice` made the text, with the key of today. */
export function openDevice(box: SecretBox, text: string | undefined): KnownDevice | null {
  const device = openOrNull(box, text === undefined ? null : Buffer.from(text, 'base64url'), OCCURRENCE);
  return device === null ? null : JSON.parse(device);
}
