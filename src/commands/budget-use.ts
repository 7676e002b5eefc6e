import { plural } from '../domain/amounts.ts';
import { type CountedIssues, countedBy, isCounted } from '../domain/fail-on.ts';
import { type KindInReport, kindsMatching } from '../store/baselines.ts';
import { countIssuesOf } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import type { ConfiguredBudget } from './configuration-file/budgets.ts';

/** How much of the budgets of a site a report uses. */
export interface BudgetUse {
  /** A line for each budget. */
  readonly lines: readonly string[];
  readonly numExceeded: number;
  /** The ids of common issues that have a budget of their own, and do not count otherwise. */
  readonly covered: ReadonlySet<number>;
  /** Counts those of the covered issues that would count otherwise. */
  countCovered(counted: CountedIssues): number;
}

export async function useBudgets(
  db: Database,
  reportId: string,
  budgets: readonly ConfiguredBudget[],
): Promise<BudgetUse> {
  const kinds = new Map<number, KindInReport>();
  const lines: string[] = [];
  let numExceeded = 0;
  for (const { title, of, max } of budgets) {
    let used = 0;
    if ('count' in of) used = await countIssuesOf(db, reportId, countedBy([of.count]));
    else {
      for (const kind of await kindsMatching(db, reportId, of)) {
        kinds.set(kind.id, kind);
        used += kind.howMany;
      }
    }
    if (used > max) numExceeded += 1;
    lines.push(lineOf(title, used, max));
  }
  return {
    lines,
    numExceeded,
    covered: new Set(kinds.keys()),
    countCovered: (counted) =>
      [...kinds.values()].reduce((sum, kind) => sum + (isCounted(kind, counted) ? kind.howMany : 0), 0),
  };
}

function lineOf(title: string, used: number, max: number): string {
  const allowed = `Budget of ${title}: ${plural(used, 'place')}, ${max} allowed`;
  if (used > max) return `${allowed}: exceeded`;
  return used < max ? `${allowed}. Lower max to ${used} to keep it` : allowed;
}
