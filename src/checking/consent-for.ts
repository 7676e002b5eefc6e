import type { ConsentSetting } from '../domain/consent.ts';
import type { ClaimedCheck } from '../queue/claims.ts';

/** Returns how to handle a consent banner when a page is checked; null if its report does not ask for a choice. */
export function consentFor({ consent, keepsBanner }: ClaimedCheck): ConsentSetting | null {
  return consent && { choice: consent, keepsBanner };
}
