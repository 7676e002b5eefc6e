import type { FAIL_ON } from './values.ts';

/** The issues that make a run fail, in the words of people. Each includes those before it. */
const FAILING_WORDS: Readonly<Record<Exclude<(typeof FAIL_ON)[number], 'unchecked' | 'never'>, string>> = {
  critical: 'critical accessibility errors',
  serious: 'serious or worse accessibility errors',
  moderate: 'moderate or worse accessibility errors',
  minor: 'accessibility errors of any impact',
  error: 'errors of any check',
  warning: 'errors or warnings of any check',
};

/** The names of the API with these words, the widest last. */
export const FAILING_CHOICES: readonly (readonly [name: string, words: string])[] = Object.entries(FAILING_WORDS);

/** Returns the one of several names that includes the others; an empty text if issues make no run fail. */
export function widestIssues(failOn: readonly string[]): string {
  return FAILING_CHOICES.findLast(([name]) => failOn.includes(name))?.[0] ?? '';
}

/** Returns what makes a run fail: `errors of any check or pages that could not be checked`. */
export function failingWords(failOn: readonly string[]): string {
  const widest = widestIssues(failOn);
  const issues = FAILING_CHOICES.filter(([name]) => name === widest).map(([, words]) => words);
  return [...issues, ...(failOn.includes('unchecked') ? ['pages that could not be checked'] : [])].join(' or ');
}
