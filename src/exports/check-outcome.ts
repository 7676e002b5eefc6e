import type { Impact, IssueType } from '../domain/check.ts';
import type { PlaceState } from '../reports/compare-with-baseline.ts';
import type { CommonIssueRow } from '../store/issues/common-issues.ts';

/** An issue type, with its new occurrences and pages. */
export type NewKind = Pick<
  CommonIssueRow,
  'id' | 'kind' | 'issue_type' | 'impact' | 'message' | 'how_many' | 'num_web_pages'
>;

/** An issue type in a report, as far as it decides whether a check fails. */
export interface FailingKind {
  /** Of the common issue. */
  readonly id: number;
  readonly issue_type: IssueType;
  readonly impact: Impact | null;
}

/** What fails a check: at least something if it fails, and nothing if it passes. */
export interface Failing {
  /** Whether all occurrences of an issue type fail it. */
  allOf(kind: FailingKind): boolean;
  /** Whether its occurrences that the baseline does not have fail it. */
  newOf(kind: FailingKind): boolean;
  /** Whether pages that could not be checked fail it. */
  readonly unchecked: boolean;
}

/** What fails \`check\` without options: exports from the API know no others. */
export const FAILING_BY_DEFAULT: Failing = {
  allOf: ({ issue_type: type }) => type === 'error',
  newOf: () => false,
  unchecked: false,
};

export const NOTHING_FAILING: Failing = { allOf: () => false, newOf: () => false, unchecked: false };

/** What \`check\` adds to the content of a report. */
export interface CheckOutcome {
  readonly isPassed: boolean;
  /** The result and the numbers behind it: \`Failed: 2 new issues (0 allowed)\`. */
  readonly verdict: string;
  readonly failing: Failing;
  /** The changes since the baseline; null without a baseline. */
  readonly comparison: {
    /** The name of the baseline. */
    readonly baseline: string;
    /** \`2 new · 5 fixed · 0 as before\`. */
    readonly changes: string;
    /** The first issue types that are new, the worst first. */
    readonly newKinds: readonly NewKind[];
    /** Of all new kinds. */
    readonly numNewKinds: number;
    /**
     * @param issue the id of an issue of a page
     * @param place its position in the issue, from 0
     */
    stateOf(issue: number, place: number): PlaceState;
  } | null;
}

/** Returns whether an occurrence of an issue fails the check. */
export function failsCheck(
  outcome: CheckOutcome | null,
  issue: FailingKind & { readonly common_issue_id: number },
  place: number,
): boolean {
  const { failing, comparison } = outcome ?? { failing: FAILING_BY_DEFAULT, comparison: null };
  const kind = { ...issue, id: issue.common_issue_id };
  return failing.allOf(kind) || (failing.newOf(kind) && comparison?.stateOf(issue.id, place) === 'new');
}
