import type { CommonIssueRow } from '../store/common-issues.ts';

/** A kind of issue, with the places and pages of it that are new. */
export type NewKind = Pick<
  CommonIssueRow,
  'id' | 'kind' | 'issue_type' | 'impact' | 'message' | 'how_many' | 'num_web_pages'
>;

/** What `check` says of a report beside what is in it. */
export interface CheckOutcome {
  /** The result and the numbers behind it: `Failed: 2 new issues (0 allowed)`. */
  readonly verdict: string;
  /** What changed since the baseline; null without one. */
  readonly comparison: {
    /** The name of the baseline. */
    readonly baseline: string;
    /** `2 new · 5 fixed · 0 still there`. */
    readonly changes: string;
    /** The first kinds of issue that are new, the worst first. */
    readonly newKinds: readonly NewKind[];
    /** Of all new kinds. */
    readonly numNewKinds: number;
  } | null;
}
