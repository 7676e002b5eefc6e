import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from './kept-secret.ts';

/** Returns whether an `Authorization` header has the token. Takes the same time for all wrong tokens. */
export function isBearer(header: string | undefined, token: string): boolean {
  const [, given] = /^Bearer +(\S+) *$/i.exec(header ?? '') ?? [];
  return given !== undefined && timingSafeEqual(hashSecret(given), hashSecret(token));
}
