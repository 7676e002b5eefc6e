import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import { IMPACTS, type Impact, ISSUE_TYPES, type IssueType, impactOrder } from '../domain/check.ts';
import { CHECK_FAIL_ON, type CheckFailOn, FAIL_ON_DEFAULT, readFailOn } from '../domain/fail-on.ts';
import { AppError } from '../platform/errors.ts';
import type { NewIssue } from '../reports/compare-with-baseline.ts';
import { type CountedIssues, countIssuesOf } from '../store/common-issues.ts';
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
  'new (whatever the baseline does not have); unchecked (pages that could not be checked); never ' +
  '(default: error; with --baseline, new)';

function foundBy(engines: readonly EngineDescription[], type: IssueType): string {
  return engines.map(({ found }) => found[type]).join(', ');
}

/**
 * Parses the value of `--fail-on`, without duplicates.
 * @throws AppError invalid_usage
 */
export function parseFailOn(text: string | undefined, hasBaseline: boolean): readonly CheckFailOn[] {
  if (text === undefined) return hasBaseline ? ['new'] : FAIL_ON_DEFAULT;
  const reading = readFailOn(text, CHECK_FAIL_ON);
  if ('problem' in reading) throw new AppError('invalid_usage', `--fail-on ${reading.problem}.`);
  if (!hasBaseline && reading.failOn.includes('new')) {
    throw new AppError('invalid_usage', '--fail-on new requires a baseline: add --baseline with a file or a report.');
  }
  return reading.failOn;
}

/** Returns the mildest impact among the values. It and worse ones count, for errors of checks that grade them. */
export function mildestImpactIn(failOn: readonly CheckFailOn[]): Impact | undefined {
  return IMPACTS.find((impact) => failOn.includes(impact));
}

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
  const counted: CountedIssues = { types: typesIn(failOn), mildestImpact: mildestImpactIn(failOn) ?? null };
  const issues = await countIssuesOf(db, reportId, counted);
  const pages = failOn.includes('unchecked') ? await countUnchecked(db, reportId) : 0;
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

/** The condition of `countIssuesOf`. */
function isCounted({ type, impact }: NewIssue, { types, mildestImpact }: CountedIssues): boolean {
  if (types.includes(type)) return true;
  if (mildestImpact === null || type !== 'error' || impact === null) return false;
  return impactOrder(impact) >= impactOrder(mildestImpact);
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

/** Returns the types that count whatever their impact. `warning` includes errors. */
function typesIn(failOn: readonly CheckFailOn[]): readonly IssueType[] {
  if (failOn.includes('warning')) return ISSUE_TYPES;
  return failOn.includes('error') ? ['error'] : [];
}

async function countUnchecked(db: Database, reportId: string): Promise<number> {
  const { total } = await listWebPages(db, reportId, { status: 'failed' }, { number: 1, size: 1 });
  return total;
}
