import { CheckFailure } from '../domain/check-failure.ts';

/** How often a check is tried again after a fault of its page or site that may pass. */
const RETRIES_MAX = 1;

/** What went before the next attempt at a check. */
export interface CheckRetries {
  /** Faults of its own that may pass. */
  readonly faults: number;
  /** Whether nothing else may be under way in the checker: the check was under way when it broke down. */
  readonly alone: boolean;
}

export const FIRST_ATTEMPT: CheckRetries = { faults: 0, alone: false };

/**
 * What becomes of a check after an error. One that may be another page's fault is tried again alone: who fails then is the
 * one, and nobody fails for others. A checker that is not there says nothing about a page.
 * @returns null when it has failed
 */
export function afterFault(error: unknown, before: CheckRetries): CheckRetries | null {
  const { permanent, blame } = error instanceof CheckFailure ? error : { permanent: false, blame: 'anybody' };
  if (permanent) return null;
  if (blame === 'checker') return before;
  if (blame === 'anybody') return before.alone ? null : { ...before, alone: true };
  return before.faults < RETRIES_MAX ? { ...before, faults: before.faults + 1 } : null;
}
