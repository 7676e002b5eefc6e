import type { EngineDescription } from '../checks/engine-description.ts';
import { ENGINES } from '../checks/registry.ts';
import { IMPACTS, type Impact, type IssueType } from '../domain/check.ts';
import { AppError } from '../platform/errors.ts';
import { countIssuesOf } from '../store/common-issues.ts';
import type { Database } from '../store/database.ts';
import { listWebPages } from '../store/web-pages.ts';
import { wordsOf } from './option-values.ts';
import { plural } from './text-layout.ts';

const TYPES = ['error', 'warning'] as const;

/** What `--fail-on` takes. `new` is refused: there is no baseline yet that issues could be compared with. */
export const FAIL_ON = [...TYPES, ...IMPACTS.toReversed(), 'unchecked', 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** What each name counts, for the help of the option. */
export const FAIL_ON_HELP =
  `what fails the check, comma-separated: error (${foundBy(ENGINES, 'error')}); warning (these, ` +
  `${foundBy(ENGINES, 'warning')}); critical, serious, moderate or minor (` +
  `${foundBy(
    ENGINES.filter(({ isGraded }) => isGraded),
    'error',
  )} of that impact or a worse one); ` +
  'unchecked (pages that could not be checked); never';

function foundBy(engines: readonly EngineDescription[], type: IssueType): string {
  return engines.map(({ found }) => found[type]).join(', ');
}

/**
 * The names in the value of `--fail-on`, each once.
 * @throws AppError invalid_usage
 */
export function parseFailOn(text: string): readonly FailOn[] {
  if (text.split(',').some((name) => name.trim() === 'new')) {
    throw new AppError(
      'invalid_usage',
      '--fail-on new compares with a baseline, which this version cannot record yet.',
    );
  }
  const failOn = wordsOf('--fail-on', text, FAIL_ON);
  if (failOn.length === 0) throw new AppError('invalid_usage', `--fail-on needs one of ${FAIL_ON.join(', ')}.`);
  if (failOn.includes('never') && failOn.length > 1) {
    throw new AppError('invalid_usage', '--fail-on never lets everything pass: name nothing else with it.');
  }
  return failOn;
}

/** An impact among the names: it counts the errors of checks that grade them. */
export function impactIn(failOn: readonly FailOn[]): Impact | undefined {
  return IMPACTS.find((impact) => failOn.includes(impact));
}

export interface Verdict {
  readonly isPassed: boolean;
  /** Says so, and why. */
  readonly sentence: string;
}

/** Whether a report passes: when it has at most `maxIssues` issues and pages of those that count. */
export async function judge(
  db: Database,
  reportId: string,
  failOn: readonly FailOn[],
  maxIssues: number,
): Promise<Verdict> {
  const issues = await countIssuesOf(db, reportId, { types: typesIn(failOn), mildestImpact: impactIn(failOn) ?? null });
  const pages = failOn.includes('unchecked') ? await countUnchecked(db, reportId) : 0;
  const isPassed = issues + pages <= maxIssues;
  if (failOn.includes('never')) return { isPassed, sentence: 'Passed: --fail-on never lets everything pass.' };
  const counted = [
    ...(failOn.some((name) => name !== 'unchecked') ? [plural(issues, 'issue')] : []),
    ...(failOn.includes('unchecked') ? [plural(pages, 'unchecked page')] : []),
  ];
  const allowed = maxIssues > 0 ? `; --max-issues allows ${maxIssues}` : '';
  const sentence = `${isPassed ? 'Passed' : 'Failed'}: ${counted.join(' and ')} for --fail-on ${failOn.join(',')}${allowed}.`;
  return { isPassed, sentence };
}

/** The types that count whole: warnings are milder than errors. */
function typesIn(failOn: readonly FailOn[]): readonly IssueType[] {
  if (failOn.includes('warning')) return TYPES;
  return failOn.includes('error') ? ['error'] : [];
}

async function countUnchecked(db: Database, reportId: string): Promise<number> {
  const { total } = await listWebPages(db, reportId, { status: 'failed' }, { number: 1, size: 1 });
  return total;
}
