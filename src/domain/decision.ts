/** What people decide about issues that checks found: docs/decisions/0138-decisions.md. */

/** `later` leaves the count as it is, and takes the issue out of what is left to review. */
export const VERDICTS = ['error', 'not_an_error', 'later'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** How a decision changes what counts: it makes errors of other occurrences, or they do not count. */
export type DecidedAs = Exclude<Verdict, 'later'>;

/** What a decision applies to, the most specific first, which wins. */
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

/** An issue with more occurrences on a page is only decided about as a whole, so that a hostile page costs little. */
export const DECIDED_OCCURRENCES_MAX = 20_000;
