import type { CheckStatus, FoundIssue } from '../domain/check.ts';
import { noneOf } from '../platform/amounts.ts';

export const ISSUE_SUMS = ['errors', 'warnings', 'minor', 'moderate', 'serious', 'critical'] as const;

export const CHECK_STATUSES = ['pending', 'checked', 'failed'] as const;

/** The columns with a report's counts for each kind of check: checks by status, those with errors, and occurrences of issues. */
export const CHECK_COUNTS = [...CHECK_STATUSES, 'with_errors', ...ISSUE_SUMS] as const;

/** Occurrences by type and, for engines that grade their issues, by impact. */
export type IssueSums = Readonly<Record<(typeof ISSUE_SUMS)[number], number>>;
export type CheckCounts = Readonly<Record<(typeof CHECK_COUNTS)[number], number>>;

export const NO_ISSUES: IssueSums = noneOf(ISSUE_SUMS);
export const NO_CHECKS: CheckCounts = noneOf(CHECK_COUNTS);

type CountedIssue = Pick<FoundIssue, 'type' | 'impact' | 'howMany'>;

/** Counts the occurrences that one check found. Impacts include errors and warnings. */
export function countIssues(issues: readonly CountedIssue[]): IssueSums {
  const sums = { ...NO_ISSUES };
  for (const issue of issues) {
    sums[issue.type === 'error' ? 'errors' : 'warnings'] += issue.howMany;
    if (issue.impact !== null) sums[issue.impact] += issue.howMany;
  }
  return sums;
}

/** Returns what one check adds to its report's counts by status. */
export function countCheck(check: { readonly status: CheckStatus; readonly errors: number }): Partial<CheckCounts> {
  return { [check.status]: 1, with_errors: check.status === 'checked' && check.errors > 0 ? 1 : 0 };
}
