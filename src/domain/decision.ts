/** What people decide about issues that checks found: docs/decisions/0138-decisions.md. */

/** `later` leaves the counts unchanged, and removes the issue from the issues that are left to review. */
export const VERDICTS = ['error', 'not_an_error', 'later'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** How a decision changes the counts: occurrences count as errors, or no longer count. */
export type DecidedAs = Exclude<Verdict, 'later'>;

/** What a decision applies to, the most specific first: a more specific decision wins. */
export const DECISION_SCOPES = ['occurrence', 'cause', 'rule'] as const;
export type DecisionScope = (typeof DECISION_SCOPES)[number];

/** A decision as it applies to occurrences of an issue type. */
export interface ActingDecision {
  readonly id: number;
  readonly scope: DecisionScope;
  readonly verdict: Verdict;
  /** The cluster of a cause, or the fingerprint of an occurrence, in hexadecimal; null for a rule. */
  readonly target: string | null;
  /** The page of an occurrence; null for the other scopes. */
  readonly pageUrl: string | null;
}

/**
 * An issue with more occurrences than this on a page can only be decided about as a whole, so that a hostile page costs little.
 */
export const DECIDED_OCCURRENCES_MAX = 20_000;
