import { type CheckFailOn, countedBy, isCounted, mildestImpactIn } from '../domain/fail-on.ts';
import type { NewIssue } from '../reports/compare-with-baseline.ts';
import { countFailing } from '../reports/verdict.ts';
import type { Database } from '../store/database.ts';
import { plural } from './text-layout.ts';

export interface Verdict {
  readonly isPassed: boolean;
  /** The result and the numbers behind it, for people. */
  readonly sentence: string;
}

/**
 * Determines whether a report passes: it may have `maxIssues` issues and unchecked pages of those that count. Those that count for
 * several reasons are counted once.
 * @param added what the baseline does not have
 */
export async function verdictFor(
  db: Database,
  reportId: string,
  failOn: readonly CheckFailOn[],
  maxIssues: number,
  added: readonly NewIssue[] = [],
): Promise<Verdict> {
  if (failOn.includes('never')) return { isPassed: true, sentence: 'Passed (--fail-on never)' };
  const { issues, uncheckedPages: pages } = await countFailing(db, reportId, failOn);
  const counted = countedBy(failOn);
  const others = failOn.includes('new') ? added.filter((issue) => !isCounted(issue, counted)) : [];
  const news = others.reduce((sum, { howMany }) => sum + howMany, 0);
  const countsIssues = failOn.some((name) => name !== 'unchecked' && name !== 'new');
  const parts = [
    ...(countsIssues ? [countedIssues(issues, failOn)] : []),
    ...(failOn.includes('new') ? [plural(news, countsIssues ? 'other new issue' : 'new issue')] : []),
    ...(failOn.includes('unchecked') ? [plural(pages, 'unchecked page')] : []),
  ];
  const isPassed = issues + news + pages <= maxIssues;
  return { isPassed, sentence: `${isPassed ? 'Passed' : 'Failed'}: ${listOf(parts)} (${maxIssues} allowed)` };
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
