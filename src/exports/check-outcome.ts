import type { Certainty, Impact } from '../domain/check.ts';
import type { OccurrenceState } from '../reports/diff-with-baseline.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';

/** An issue type, with its new occurrences and pages. */
export type NewIssueType = Pick<
  CommonIssueRow,
  'id' | 'kind' | 'issue_type' | 'impact' | 'message' | 'how_many' | 'num_web_pages'
>;

/** An issue type in a report, as far as it decides whether a check fails. */
export interface FailingIssueType {
  /** Of the common issue. */
  readonly id: number;
  readonly issue_type: Certainty;
  readonly impact: Impact | null;
}

/** What fails a check: at least something if it fails, and nothing if it passes. */
export interface Failing {
  /** Whether all occurrences of an issue type do. */
  allOf(kind: FailingIssueType): boolean;
  /** Whether the occurrences of it do that the baseline does not have. */
  newOf(kind: FailingIssueType): boolean;
  /** Whether pages that could not be checked do. */
  readonly unchecked: boolean;
}

/** What fails \`check\` without options: exports of the API know of no others. */
export const FAILING_BY_DEFAULT: Failing = {
  allOf: ({ issue_type: type }) => type === 'error',
  newOf: () => false,
  unchecked: false,
};

export const NOTHING_FAILING: Failing = { allOf: () => false, newOf: () => false, unchecked: false };

/** What \`check\` says of a report along with its content. */
export interface CheckOutcome {
  readonly isPassed: boolean;
  /** The result and the numbers behind it: \`Failed: 2 new issues (0 allowed)\`. */
  readonly verdict: string;
  readonly failing: Failing;
  /** What changed since the baseline; null without one. */
  readonly diff: {
    /** The name of the baseline. */
    readonly baseline: string;
    /** \`2 new · 5 fixed · 0 as before\`. */
    readonly changes: string;
    /** The first issue types that are new, the worst first. */
    readonly newIssueTypes: readonly NewIssueType[];
    /** Of all new kinds. */
    readonly numNewIssueTypes: number;
    /**
     * @param issue the id of an issue of a page
     * @param occurrence its position in the issue, from 0
     */
    stateOf(issue: number, occurrence: number): OccurrenceState;
  } | null;
}

/** Returns whether an occurrence of an issue fails the check. */
export function failsCheck(
  outcome: CheckOutcome | null,
  issue: FailingIssueType & { readonly common_issue_id: number },
  occurrence: number,
): boolean {
  const { failing, diff } = outcome ?? { failing: FAILING_BY_DEFAULT, diff: null };
  const kind = { ...issue, id: issue.common_issue_id };
  return failing.allOf(kind) || (failing.newOf(kind) && diff?.stateOf(issue.id, occurrence) === 'new');
}
