import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import { IMPACTS, type Impact, ISSUE_TYPES, type IssueType } from '../domain/check.ts';
import { type FailOn, readFailOn } from '../domain/fail-on.ts';
import { AppError } from '../platform/errors.ts';
import { countIssuesOf } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { listWebPages } from '../store/web-pages.ts';
import { plural } from './text-layout.ts';

export const FAIL_ON_HELP =
  `comma-separated kinds of issues that fail the check: error (${foundBy(ENGINES, 'error')}); warning (also ` +
  `${foundBy(ENGINES, 'warning')}); critical, serious, moderate or minor (` +
  `${foundBy(
    ENGINES.filter(({ isGraded }) => isGraded),
    'error',
  )} of that impact or worse); ` +
  'unchecked (pages that could not be checked); never';

function foundBy(engines: readonly EngineDescription[], type: IssueType): string {
  return engines.map(({ found }) => found[type]).join(', ');
}

/**
 * Parses the value of `--fail-on`, without duplicates.
 * @throws AppError invalid_usage
 */
export function parseFailOn(text: string): readonly FailOn[] {
  const reading = readFailOn(text);
  if ('problem' in reading) throw new AppError('invalid_usage', `--fail-on ${reading.problem}.`);
  return reading.failOn;
}

/** Returns the mildest impact among the values. It and worse ones count, for errors of checks that grade them. */
export function mildestImpactIn(failOn: readonly FailOn[]): Impact | undefined {
  return IMPACTS.find((impact) => failOn.includes(impact));
}

export interface Verdict {
  readonly isPassed: boolean;
  /** The result and the numbers behind it, for people. */
  readonly sentence: string;
}

/** Determines whether a report passes: it may have `maxIssues` issues and unchecked pages of those that count. */
export async function verdictFor(
  db: Database,
  reportId: string,
  failOn: readonly FailOn[],
  maxIssues: number,
): Promise<Verdict> {
  if (failOn.includes('never')) return { isPassed: true, sentence: 'Passed (--fail-on never)' };
  const mildestImpact = mildestImpactIn(failOn) ?? null;
  const issues = await countIssuesOf(db, reportId, { types: typesIn(failOn), mildestImpact });
  const pages = failOn.includes('unchecked') ? await countUnchecked(db, reportId) : 0;
  const counted = [
    ...(failOn.some((name) => name !== 'unchecked') ? [countedIssues(issues, failOn)] : []),
    ...(failOn.includes('unchecked') ? [plural(pages, 'unchecked page')] : []),
  ];
  const isPassed = issues + pages <= maxIssues;
  return { isPassed, sentence: `${isPassed ? 'Passed' : 'Failed'}: ${counted.join(' and ')} (${maxIssues} allowed)` };
}

/** `17 errors`, `4 issues`, `2 errors of serious impact or worse`. */
function countedIssues(count: number, failOn: readonly FailOn[]): string {
  if (failOn.includes('warning')) return plural(count, 'issue');
  const impact = failOn.includes('error') ? undefined : mildestImpactIn(failOn);
  if (impact === undefined) return plural(count, 'error');
  return impact === 'critical'
    ? plural(count, 'critical error')
    : `${plural(count, 'error')} of ${impact} impact or worse`;
}

/** Returns the types that count whatever their impact. `warning` includes errors. */
function typesIn(failOn: readonly FailOn[]): readonly IssueType[] {
  if (failOn.includes('warning')) return ISSUE_TYPES;
  return failOn.includes('error') ? ['error'] : [];
}

async function countUnchecked(db: Database, reportId: string): Promise<number> {
  const { total } = await listWebPages(db, reportId, { status: 'failed' }, { number: 1, size: 1 });
  return total;
}
