import { formatNumber, plural } from '../domain/amounts.ts';
import { type CountedIssues, countedBy, isCounted } from '../domain/fail-on.ts';
import type { FailingIssueType } from '../exports/check-outcome.ts';
import type { Database } from '../store/database.ts';
import { type IssueTypeInReport, issueTypesMatching } from '../store/diffs/baselines.ts';
import { countIssuesOf } from '../store/issues/common-issues.ts';
import type { ConfiguredBudget } from './configuration-file/budgets.ts';

/** How a report uses the budgets of a site. */
export interface BudgetUse {
  /** A line for each budget. */
  readonly lines: readonly string[];
  readonly numExceeded: number;
  /** The ids of common issues that have a budget of their own, and therefore count only toward it. */
  readonly covered: ReadonlySet<number>;
  /** Counts the covered issues that would count if they had no budget of their own. */
  countCovered(counted: CountedIssues): number;
  /** Whether an issue counts toward a budget that is exceeded. */
  isExceeded(issueType: FailingIssueType): boolean;
}

export async function useBudgets(
  db: Database,
  reportId: string,
  budgets: readonly ConfiguredBudget[],
): Promise<BudgetUse> {
  const issueTypes = new Map<number, IssueTypeInReport>();
  const lines: string[] = [];
  const exceeded: ((issueType: FailingIssueType) => boolean)[] = [];
  for (const { title, of, max } of budgets) {
    let used = 0;
    let has: (issueType: FailingIssueType) => boolean;
    if ('count' in of) {
      const counted = countedBy([of.count]);
      used = await countIssuesOf(db, reportId, counted);
      has = (issueType) => isCounted({ type: issueType.issue_type, impact: issueType.impact }, counted);
    } else {
      const matching = await issueTypesMatching(db, reportId, of);
      for (const issueType of matching) issueTypes.set(issueType.id, issueType);
      used = matching.reduce((sum, { howMany }) => sum + howMany, 0);
      const ids = new Set(matching.map(({ id }) => id));
      has = ({ id }) => ids.has(id);
    }
    if (used > max) exceeded.push(has);
    lines.push(lineOf(title, used, max));
  }
  return {
    lines,
    numExceeded: exceeded.length,
    isExceeded: (issueType) => exceeded.some((has) => has(issueType)),
    covered: new Set(issueTypes.keys()),
    countCovered: (counted) =>
      [...issueTypes.values()].reduce(
        (sum, issueType) => sum + (isCounted(issueType, counted) ? issueType.howMany : 0),
        0,
      ),
  };
}

function lineOf(title: string, used: number, max: number): string {
  const allowed = `Budget of ${title}: ${plural(used, 'occurrence')}, ${formatNumber(max)} allowed`;
  if (used > max) return `${allowed}: exceeded`;
  return used < max ? `${allowed}. To keep this level, lower max to ${used}` : allowed;
}
