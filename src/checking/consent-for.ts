import type { ConsentSetting } from '../domain/consent.ts';
import type { ClaimedCheck } from '../queue/claims.ts';

/** Returns how a page is checked if it has a consent banner; null if its report does not ask for a choice. */
export function consentFor({ consent, keepsBanner }: ClaimedCheck): ConsentSetting | null {
  return consent && { choice: consent, keepsBanner };
}
