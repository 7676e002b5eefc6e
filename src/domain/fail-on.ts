import { CERTAINTIES, type Certainty, IMPACTS, type Impact, impactOrder } from './check.ts';

const ISSUES = [...CERTAINTIES, ...IMPACTS.toReversed()] as const;

/** What makes a run fail: `fail_on` of schedules. The name of a severity means this severity or worse. */
export const FAIL_ON = [...ISSUES, 'unchecked', 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** `--fail-on` of `check`, which can compare with a baseline: `new` means issues that the baseline does not have. */
export const CHECK_FAIL_ON = [...ISSUES, 'new', 'unchecked', 'never'] as const;
export type CheckFailOn = (typeof CHECK_FAIL_ON)[number];

export const FAIL_ON_DEFAULT: readonly FailOn[] = ['error'];

/** Characters of a name that a message repeats. */
const repeatedMaxCharacters = 100;

/**
 * Reads names, separated by commas or as an array, and removes duplicates.
 * @param names the allowed names
 * @returns the names, or the problem, worded to follow the name of the option or attribute
 */
export function readFailOn<Name extends CheckFailOn>(
  given: string | readonly string[],
  names: readonly Name[],
): { readonly failOn: readonly Name[] } | { readonly problem: string } {
  const wanted = (typeof given === 'string' ? given.split(',') : given)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const failOn = names.filter((name) => wanted.includes(name));
  const unknown = wanted.find((name) => !failOn.some((known) => known === name));
  if (unknown === 'new') return { problem: 'new requires a baseline, which only the command check supports' };
  if (unknown !== undefined) {
    return { problem: `takes ${names.join(', ')}, not "${unknown.slice(0, repeatedMaxCharacters).toWellFormed()}"` };
  }
  if (failOn.length === 0) return { problem: `requires at least one of ${names.join(', ')}` };
  if (wanted.includes('never') && failOn.length > 1) {
    return { problem: 'never cannot be combined with other values' };
  }
  return { failOn };
}

/** The issues that count. */
export interface CountedIssues {
  /** The types that count regardless of their impact. */
  readonly types: readonly Certainty[];
  /** Errors of this impact or worse count, too; null for none. */
  readonly mildestImpact: Impact | null;
}

/** Returns the issues that count. `warning` includes errors. */
export function countedBy(failOn: readonly CheckFailOn[]): CountedIssues {
  const types = failOn.includes('warning') ? CERTAINTIES : failOn.includes('error') ? (['error'] as const) : [];
  return { types, mildestImpact: mildestImpactIn(failOn) ?? null };
}

/** Returns the mildest impact among the values. Errors of this impact or worse count, for checks that grade them. */
export function mildestImpactIn(failOn: readonly CheckFailOn[]): Impact | undefined {
  return IMPACTS.find((impact) => failOn.includes(impact));
}

/** Returns whether an issue counts: the condition of `countIssuesOf`. */
export function isCounted(
  { type, impact }: { readonly type: Certainty; readonly impact: Impact | null },
  { types, mildestImpact }: CountedIssues,
): boolean {
  if (types.includes(type)) return true;
  if (mildestImpact === null || type !== 'error' || impact === null) return false;
  return impactOrder(impact) >= impactOrder(mildestImpact);
}
