import type { ConsentOutcome } from './consent.ts';

/** What a check did with a page, in addition to showing it. */
export interface ShownAs {
  /** How many states of the page were opened and examined; null if none were to be opened. */
  readonly openedStates: number | null;
  /** Null if there was no choice to make. */
  readonly consent: ConsentOutcome | null;
}
