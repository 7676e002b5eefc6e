/** What to choose in the consent banners of a site. */
export const CONSENT_CHOICES = ['accept', 'reject'] as const;
export type ConsentChoice = (typeof CONSENT_CHOICES)[number];

/**
 * `dismissed`: the page was checked after its banner had been dismissed, there or on an earlier page. `kept`: it was checked with
 * its banner. `none`: it had none.
 */
export const CONSENT_OUTCOMES = ['dismissed', 'kept', 'none'] as const;
export type ConsentOutcome = (typeof CONSENT_OUTCOMES)[number];

/** How a page is checked if it has a consent banner. */
export interface ConsentSetting {
  readonly choice: ConsentChoice;
  /** Whether this is the only page of its report that is checked with the banner. */
  readonly keepsBanner: boolean;
}
