import { SHOWING_LIMITS, type ShowingLimits } from '../../browser/showing/limits.ts';

/** Limits of the accessibility check of one page. Times in milliseconds. */
export interface A11yLimits extends ShowingLimits {
  /** The whole check, from opening the page to the result. */
  readonly checkTimeoutMs: number;
}

export const A11Y_LIMITS: A11yLimits = { ...SHOWING_LIMITS, checkTimeoutMs: 60_000 };
