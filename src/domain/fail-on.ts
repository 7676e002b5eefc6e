import { IMPACTS, ISSUE_TYPES } from './check.ts';

/** What makes a report a bad one: `--fail-on` of `check`, `fail_on` of schedules. Each name means this or worse. */
export const FAIL_ON = [...ISSUE_TYPES, ...IMPACTS.toReversed(), 'unchecked', 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];

export const FAIL_ON_DEFAULT: readonly FailOn[] = ['error'];

/** Characters of a name that a message repeats. */
const repeatedMaxCharacters = 100;

/**
 * Reads names, separated by commas or as an array, and removes duplicates. `new` is refused, since reports have no baseline yet.
 * @returns the names, or what is wrong, worded to follow the name of the option or attribute
 */
export function readFailOn(
  given: string | readonly string[],
): { readonly failOn: readonly FailOn[] } | { readonly problem: string } {
  const names = (typeof given === 'string' ? given.split(',') : given)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.includes('new')) return { problem: 'new requires a baseline, which this version does not support' };
  const failOn = FAIL_ON.filter((name) => names.includes(name));
  const unknown = names.find((name) => !failOn.some((known) => known === name));
  if (unknown !== undefined) {
    return { problem: `takes ${FAIL_ON.join(', ')}, not "${unknown.slice(0, repeatedMaxCharacters).toWellFormed()}"` };
  }
  if (failOn.length === 0) return { problem: `requires at least one of ${FAIL_ON.join(', ')}` };
  if (failOn.includes('never') && failOn.length > 1) {
    return { problem: 'never cannot be combined with other values' };
  }
  return { failOn };
}
