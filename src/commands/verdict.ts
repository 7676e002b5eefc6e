import { formatNumber, plural } from '../domain/amounts.ts';
import { type CheckFailOn, countedBy, isCounted, mildestImpactIn } from '../domain/fail-on.ts';
import { type Failing, NOTHING_FAILING } from '../exports/check-outcome.ts';
import type { NewIssue } from '../reports/diff-with-baseline.ts';
import { countFailing } from '../reports/verdict.ts';
import type { Database } from '../store/database.ts';
import type { BudgetUse } from './budget-use.ts';

export interface Verdict {
  readonly isPassed: boolean;
  /** The result and the numbers behind it, for people. */
  readonly sentence: string;
  readonly failing: Failing;
}

/** The criteria for the verdict on a report. */
interface Terms {
  readonly failOn: readonly CheckFailOn[];
  readonly maxIssues: number;
  readonly budgets: BudgetUse;
  /** The issues that the baseline does not have; null without a diff, for example when the check writes the baseline. */
  readonly added: readonly NewIssue[] | null;
}

/** A check that only writes a baseline has nothing to compare with it. */
const BASELINE_WRITTEN = 'the new baseline accepts everything that was found';

/**
 * Determines whether a report passes: it must keep its budgets, and may have at most `maxIssues` counted issues and unchecked
 * pages. Issues that count for several reasons are counted once, issue types with their own budget not at all.
 */
export async function verdictFor(db: Database, reportId: string, terms: Terms): Promise<Verdict> {
  const { failOn, maxIssues, budgets, added } = terms;
  const exceeded = budgets.numExceeded === 0 ? [] : [`${plural(budgets.numExceeded, 'budget')} exceeded`];
  if (failOn.includes('never')) {
    return exceeded.length === 0
      ? { isPassed: true, sentence: 'Passed (--fail-on never)', failing: NOTHING_FAILING }
      : { isPassed: false, sentence: `Failed: ${exceeded.join()}`, failing: failingOf([], budgets) };
  }
  const failing = await countFailing(db, reportId, failOn);
  const counted = countedBy(failOn);
  const [issues, pages] = [failing.issues - budgets.countCovered(counted), failing.uncheckedPages];
  const countsNew = failOn.includes('new') && added !== null;
  const others = (added ?? []).filter((issue) => !isCounted(issue, counted) && !budgets.covered.has(issue.id));
  const news = countsNew ? others.reduce((sum, { howMany }) => sum + howMany, 0) : 0;
  const countsIssues = failOn.some((name) => name !== 'unchecked' && name !== 'new');
  const parts = [
    ...(countsIssues ? [{ count: issues, words: countedIssues(issues, failOn) }] : []),
    ...(countsNew ? [{ count: news, words: plural(news, countsIssues ? 'other new issue' : 'new issue') }] : []),
    ...(failOn.includes('unchecked') ? [{ count: pages, words: plural(pages, 'unchecked page') }] : []),
  ];
  const total = issues + news + pages;
  // A zero count is only printed if all counts are zero.
  const words = parts.filter(({ count }) => count > 0 || total === 0).map((part) => part.words);
  const isWithinMax = total <= maxIssues;
  const isPassed = isWithinMax && exceeded.length === 0;
  const limited = parts.length === 0 ? BASELINE_WRITTEN : `${listOf(words)} (${formatNumber(maxIssues)} allowed)`;
  const sentence = [limited, ...exceeded].join(', and ');
  return {
    isPassed,
    sentence: `${isPassed ? 'Passed' : 'Failed'}: ${sentence}`,
    failing: failingOf(isWithinMax ? [] : failOn, budgets),
  };
}

/** @param failOn the names whose limit was exceeded */
function failingOf(failOn: readonly CheckFailOn[], budgets: BudgetUse): Failing {
  const counted = countedBy(failOn);
  return {
    allOf: (issueType) =>
      budgets.isExceeded(issueType) ||
      (!budgets.covered.has(issueType.id) &&
        isCounted({ type: issueType.issue_type, impact: issueType.impact }, counted)),
    newOf: ({ id }) => failOn.includes('new') && !budgets.covered.has(id),
    unchecked: failOn.includes('unchecked'),
  };
}

function listOf(parts: readonly string[]): string {
  return parts.length < 3 ? parts.join(' and ') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

/** `17 errors`, `4 issues`, `2 errors of serious impact or worse`. */
function countedIssues(count: number, failOn: readonly CheckFailOn[]): string {
  if (failOn.includes('warning')) return plural(count, 'issue');
  const impact = failOn.includes('error') ? undefined : mildestImpactIn(failOn);
  if (impact === undefined) return plural(count, 'error');
  return impact === 'critical'
    ? plural(count, 'critical error')
    : `${plural(count, 'error')} of ${impact} impact or worse`;
}
