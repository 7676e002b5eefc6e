import { hash } from 'node:crypto';
import type { Verdict } from '../domain/decision.ts';
import { FINGERPRINT_BYTES } from './identity.ts';

/**
 * Returns what identifies the decided occurrences of an issue type: comparisons and counts treat these as a separate issue type.
 * @param found fingerprint of the issue type as the check found it, in hexadecimal
 */
export function decidedTypeFingerprint(found: string, verdict: Verdict): string {
  return hash('sha256', JSON.stringify([found, verdict])).slice(0, 2 * FINGERPRINT_BYTES);
}
