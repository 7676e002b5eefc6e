/**
 * The definition of every number of a report: docs/numbers.md. Nothing outside this module adds up issues, checks or pages on its
 * own.
 */
import type { SevereFree } from '../../packages/client/severe-free.ts';
import { noneOf, plural } from './amounts.ts';
import { type Certainty, type CheckKind, type CheckStatus, IMPACTS, type Impact } from './check.ts';
import type { Verdict } from './decision.ts';

/**
 * The severity of an issue: the impact of an error if its check grades issues; issues that only a person can decide need review.
 */
export const SEVERITIES = [...IMPACTS.toReversed(), 'error', 'warning', 'needs_review'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * Returns the severity of an issue. Checks that grade their issues give each an impact; their warnings need review, regardless of
 * the impact.
 */
export function severityOf(type: Certainty, impact: Impact | null): Severity {
  if (impact === null) return type;
  return type === 'warning' ? 'needs_review' : impact;
}

const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  critical: 'critical error',
  serious: 'serious error',
  moderate: 'moderate error',
  minor: 'minor error',
  error: 'error',
  warning: 'warning',
  needs_review: 'needs review',
};

const BY_DECISION: Readonly<Record<Verdict, string>> = {
  error: ' by decision',
  not_an_error: ', not an error by decision',
  later: ', later',
};

/**
 * Returns the word for an issue: `error`, `critical error`, `needs review`, with what a person has decided about it, as in
 * `serious error by decision`.
 * @param verdict null, or absent, if nothing was decided
 */
export function severityWords(type: Certainty, impact: Impact | null, verdict: Verdict | null = null): string {
  return SEVERITY_WORDS[severityOf(type, impact)] + (verdict === null ? '' : BY_DECISION[verdict]);
}

/**
 * The contract's `severity` counts errors and issues that need review together; `critical_errors` and so on count errors alone.
 */
export const ISSUE_SUMS = [
  'errors',
  'warnings',
  ...IMPACTS,
  'minor_errors',
  'moderate_errors',
  'serious_errors',
  'critical_errors',
] as const satisfies readonly ('errors' | 'warnings' | Impact | `${Impact}_errors`)[];

export const CHECK_STATUSES = ['pending', 'checked', 'failed'] as const satisfies readonly CheckStatus[];

/**
 * A report's counts for each kind of check: checks by status, checks with errors, with critical or serious errors, and
 * occurrences of issues.
 */
export const CHECK_COUNTS = [...CHECK_STATUSES, 'with_errors', 'with_severe', ...ISSUE_SUMS] as const;

/** Occurrences by type and, for checks that grade their issues, by impact. Muted ones do not count. */
export type IssueSums = Readonly<Record<(typeof ISSUE_SUMS)[number], number>>;
export type CheckCounts = Readonly<Record<(typeof CHECK_COUNTS)[number], number>>;

export const NO_ISSUES: IssueSums = noneOf(ISSUE_SUMS);
export const NO_CHECKS: CheckCounts = noneOf(CHECK_COUNTS);

interface CountedIssue {
  readonly type: Certainty;
  readonly impact: Impact | null;
  readonly howMany: number;
}

/** Counts the occurrences from one check. */
export function countIssues(issues: readonly CountedIssue[]): IssueSums {
  const sums = { ...NO_ISSUES };
  for (const { type, impact, howMany } of issues) {
    sums[type === 'error' ? 'errors' : 'warnings'] += howMany;
    if (impact === null) continue;
    sums[impact] += howMany;
    if (type === 'error') sums[`${impact}_errors`] += howMany;
  }
  return sums;
}

/** Returns what one check adds to its report's counts by status. */
export function countCheck(
  check: { readonly status: CheckStatus } & Pick<IssueSums, 'errors' | 'critical_errors' | 'serious_errors'>,
): Partial<CheckCounts> {
  const { status, errors, critical_errors: critical, serious_errors: serious } = check;
  const isChecked = status === 'checked';
  return {
    [status]: 1,
    with_errors: isChecked && errors > 0 ? 1 : 0,
    with_severe: isChecked && critical + serious > 0 ? 1 : 0,
  };
}

/** Returns the number of web pages that pass one kind of check: checked, without errors that are not muted. */
export function passedPages({
  checked,
  with_errors: withErrors,
}: Pick<CheckCounts, 'checked' | 'with_errors'>): number {
  return checked - withErrors;
}

/** Returns the number of web pages that one kind of check has checked without critical or serious errors. */
export function severeFreePages({
  checked,
  with_severe: withSevere,
}: Pick<CheckCounts, 'checked' | 'with_severe'>): number {
  return checked - withSevere;
}

/** Returns the pages without critical or serious errors; null if no check that grades its issues has checked a page. */
export function severeFree(graded: readonly Pick<CheckCounts, 'checked' | 'with_severe'>[]): SevereFree | null {
  const [counts] = graded.filter(({ checked }) => checked > 0);
  return counts === undefined ? null : { pages: severeFreePages(counts), checked: counts.checked };
}

/** The result of a kind of check. */
export interface Found {
  readonly errors: number;
  /** Findings that need review if the check grades its issues. */
  readonly warnings: number;
  /** Errors alone, without issues that need review. Absent for checks that do not grade their issues. */
  readonly errors_by_impact?: Readonly<Record<Impact, number>>;
}

export function foundIn(sums: IssueSums, isGraded: boolean): Found {
  const { errors, warnings } = sums;
  if (!isGraded) return { errors, warnings };
  const { minor_errors: minor, moderate_errors: moderate, serious_errors: serious, critical_errors: critical } = sums;
  return { errors, warnings, errors_by_impact: { minor, moderate, serious, critical } };
}

/** Returns the errors of all kinds of check. */
export function errorsIn(found: readonly (Pick<Found, 'errors'> | null | undefined)[]): number {
  return found.reduce((sum, each) => sum + (each?.errors ?? 0), 0);
}

/** Returns `3 errors (1 critical, 2 serious), 2 need review`, or `3 errors, 2 warnings`. */
export function foundWords(found: Found): string {
  const impacts = impactWords(found);
  return `${plural(found.errors, 'error')}${impacts === '' ? '' : ` (${impacts})`}, ${warningWords(found)}`;
}

/** Returns the errors of each impact, the worst first: `1 critical, 2 serious`. Empty without errors. */
export function impactWords(found: Found): string {
  const counts = impactCounts(found).filter(([, errors]) => errors > 0);
  return counts.map(([impact, errors]) => `${errors.toLocaleString('en')} ${impact}`).join(', ');
}

/** Returns the errors of each impact, the worst first. Empty for checks that do not grade their issues. */
export function impactCounts({ errors_by_impact: errors }: Found): readonly (readonly [Impact, number])[] {
  return errors === undefined ? [] : IMPACTS.toReversed().map((impact) => [impact, errors[impact]]);
}

/** Returns `2 warnings`, or `2 need review` for a check that grades its issues. */
export function warningWords({ warnings, errors_by_impact: graded }: Found): string {
  if (graded === undefined) return plural(warnings, 'warning');
  return `${warnings.toLocaleString('en')} ${warnings === 1 ? 'needs' : 'need'} review`;
}

/**
 * Returns the average number of errors on a page: the errors of each kind of check, divided by the pages that it has checked,
 * added up. Null if no page has been checked.
 */
export function errorsPerPage(checks: readonly Pick<CheckCounts, 'checked' | 'errors'>[]): number | null {
  const ran = checks.filter(({ checked }) => checked > 0);
  return ran.length === 0 ? null : ran.reduce((sum, { errors, checked }) => sum + errors / checked, 0);
}

/** The web pages of a report. */
export interface PageNumbers {
  /** Found: web pages of the report, regardless of the results of their checks. */
  readonly num_pages: number;
  /** Web pages on which all enabled checks have run; null if their number is not known. */
  readonly checked_pages: number | null;
  readonly checks: Readonly<Record<CheckKind, Pick<CheckCounts, 'checked'>>>;
}

/**
 * Returns `10 pages checked`, or `14 pages found, 10 checked, 4 could not be checked`; `not fully checked` if some of the checks
 * of a page ran. For a report that has ended.
 */
export function pageWords({ num_pages: found, checked_pages: checked, checks }: PageNumbers): string {
  if (checked === null) return `${plural(found, 'page')} found`;
  if (found === checked) return `${plural(found, 'page')} checked`;
  const isPartly = Object.values(checks).some((counts) => counts.checked > checked);
  const rest = `${(found - checked).toLocaleString('en')} ${isPartly ? 'not fully checked' : 'could not be checked'}`;
  return `${plural(found, 'page')} found, ${checked.toLocaleString('en')} checked, ${rest}`;
}

/** The errors of a report that has ended, and the pages that they are on. */
export interface ErrorNumbers {
  readonly errors: number;
  /** Pages whose checks have all run; and among these, the pages without errors. */
  readonly pages_checked: number;
  readonly pages_passed: number;
  readonly checks: readonly {
    /** The name of the kind of check. */
    readonly words: string;
    readonly pages_checked: number;
    readonly pages_with_errors: number;
  }[];
}

/**
 * Returns `no errors on 4 pages`, `7 errors on 2 of 4 pages`, or, if not all checks ran on the same pages, the pages of each kind
 * of check: `7 errors (HTML check: 2 of 4 pages, link check: 0 of 1 page)`.
 */
export function errorWords({ errors, pages_checked: checked, pages_passed: passed, checks }: ErrorNumbers): string {
  const count = errors === 0 ? 'no errors' : plural(errors, 'error');
  if (checks.some((check) => check.pages_checked !== checked)) {
    const parts = checks.map(
      ({ words, ...check }) => `${words} check: ${partWords(check.pages_with_errors, check.pages_checked)}`,
    );
    return `${count} (${parts.join(', ')})`;
  }
  return `${count} on ${errors === 0 ? plural(checked, 'page') : partWords(checked - passed, checked)}`;
}

/** Returns `1 of 3 pages`. */
function partWords(part: number, whole: number): string {
  return `${part.toLocaleString('en')} of ${plural(whole, 'page')}`;
}
