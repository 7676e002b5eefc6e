import { type Blame, CheckFault } from '../domain/check-fault.ts';
import type { CheckOutcome } from '../store/pages/check-outcome.ts';

/** Retries of a check after a temporary fault of its page or site. */
const RETRIES_MAX = 1;

/** The history of a check that is retried. */
export interface CheckRetries {
  /** Temporary faults of the check itself. */
  readonly faults: number;
  /** Whether the check must run alone, because it may have ended its engine or its process earlier. */
  readonly alone: boolean;
}

export const FIRST_ATTEMPT: CheckRetries = { faults: 0, alone: false };

/** Returns what is known about an error. An unexpected error may be due to any page. */
export function faultOf(error: unknown): { readonly permanent: boolean; readonly blame: Blame } {
  return error instanceof CheckFault ? error : { permanent: false, blame: 'anybody' };
}

/**
 * Decides whether a check is retried after an error. If another page may be to blame, it is retried alone, so that only the page
 * that causes a crash fails. An unavailable engine does not count as a fault.
 * @returns the history for the next attempt; null if the check has failed
 */
export function afterFault(error: unknown, before: CheckRetries): CheckRetries | null {
  const { permanent, blame } = faultOf(error);
  if (permanent) return null;
  if (blame === 'engine') return before;
  if (blame === 'anybody') return before.alone ? null : { ...before, alone: true };
  return withFault(before);
}

/**
 * Decides whether a check is repeated because its page was incomplete: a short outage of the site would otherwise make issues
 * look as if they were fixed.
 * @returns the history for the next attempt; null to accept the result
 */
export function afterIncomplete(
  { notes = [] }: Pick<CheckOutcome, 'notes'>,
  before: CheckRetries,
): CheckRetries | null {
  const isIncomplete = notes.some(({ code }) => code === 'data_missing');
  return isIncomplete ? withFault(before) : null;
}

function withFault(before: CheckRetries): CheckRetries | null {
  return before.faults < RETRIES_MAX ? { ...before, faults: before.faults + 1 } : null;
}
