import { newSecret } from '../platform/kept-secret.ts';
import { type SecretBox, SecretFault } from '../platform/secret-box.ts';

/** For what it is encrypted. */
const PLACE = 'known device';

/** A browser that has signed in to an account before. */
export interface KnownDevice {
  readonly accountId: string;
  /** Random, and another one after each sign-in. */
  readonly id: string;
}

/** Returns what a browser keeps after a sign-in. Only this installation can make it or read it, and it stores nothing. */
export function sealDevice(box: SecretBox, accountId: string): string {
  const device: KnownDevice = { accountId, id: newSecret() };
  return box.seal(JSON.stringify(device), PLACE).toString('base64url');
}

/** Returns the device that a browser says it is; null unless `sealDevice` made the text, with the key of today. */
export function openDevice(box: SecretBox, text: string | undefined): KnownDevice | null {
  if (text === undefined) return null;
  try {
    return JSON.parse(box.open(Buffer.from(text, 'base64url'), PLACE));
  } catch (error) {
    if (error instanceof SecretFault) return null;
    throw error;
  }
}
