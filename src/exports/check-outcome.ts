import type { Certainty, Impact } from '../domain/check.ts';
import type { OccurrenceState } from '../reports/diff-with-baseline.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';

/** An issue type, with its new occurrences and pages. */
export type NewIssueType = Pick<
  CommonIssueRow,
  'id' | 'kind' | 'issue_type' | 'impact' | 'message' | 'how_many' | 'num_web_pages'
>;

/** The data about an issue type that decides whether a check fails. */
export interface FailingIssueType {
  /** The id of the common issue. */
  readonly id: number;
  readonly issue_type: Certainty;
  readonly impact: Impact | null;
}

/** What fails a check: at least something if it fails, and nothing if it passes. */
export interface Failing {
  /** Whether all occurrences of an issue type fail it. */
  allOf(issueType: FailingIssueType): boolean;
  /** Whether its occurrences that the baseline does not have fail it. */
  newOf(issueType: FailingIssueType): boolean;
  /** Whether pages that could not be checked fail it. */
  readonly unchecked: boolean;
}

/** What fails `check` without options: exports from the API have no options. */
export const FAILING_BY_DEFAULT: Failing = {
  allOf: ({ issue_type: type }) => type === 'error',
  newOf: () => false,
  unchecked: false,
};

export const NOTHING_FAILING: Failing = { allOf: () => false, newOf: () => false, unchecked: false };

/** What `check` adds to the content of a report. */
export interface CheckOutcome {
  readonly isPassed: boolean;
  /** The result and the numbers behind it: `Failed: 2 new issues (0 allowed)`. */
  readonly verdict: string;
  readonly failing: Failing;
  /** The changes since the baseline; null without a baseline. */
  readonly diff: {
    /** The name of the baseline. */
    readonly baseline: string;
    /** `2 new · 0 as before · 5 fixed`. */
    readonly changes: string;
    /** The first issue types that are new, the worst first. */
    readonly newIssueTypes: readonly NewIssueType[];
    /** The number of all new issue types. */
    readonly numNewIssueTypes: number;
    /**
     * @param issue the id of an issue of a page
     * @param position of the occurrence in the issue, from 0
     */
    stateOf(issue: number, position: number): OccurrenceState;
  } | null;
}

/** Returns whether an occurrence of an issue fails the check. */
export function failsCheck(
  outcome: CheckOutcome | null,
  issue: FailingIssueType & { readonly common_issue_id: number },
  position: number,
): boolean {
  const { failing, diff } = outcome ?? { failing: FAILING_BY_DEFAULT, diff: null };
  const issueType = { ...issue, id: issue.common_issue_id };
  return failing.allOf(issueType) || (failing.newOf(issueType) && diff?.stateOf(issue.id, position) === 'new');
}
