/** What makes a run fail, each with all that is before it: the names of the API, in the words of people. */
export const FAILING_ISSUES = [
  ['critical', 'critical accessibility errors'],
  ['serious', 'serious or worse accessibility errors'],
  ['moderate', 'moderate or worse accessibility errors'],
  ['minor', 'accessibility errors of any impact'],
  ['error', 'errors of any check'],
  ['warning', 'errors or warnings of any check'],
] as const;

/** Returns the one of several names that includes the others; an empty text if issues make no run fail. */
export function widestIssues(failOn: readonly string[]): string {
  return FAILING_ISSUES.findLast(([name]) => failOn.includes(name))?.[0] ?? '';
}

/** Returns what makes a run fail: `errors of any check or pages that could not be checked`. */
export function failingWords(failOn: readonly string[]): string {
  const widest = widestIssues(failOn);
  const issues = FAILING_ISSUES.filter(([name]) => name === widest).map(([, words]) => words);
  return [...issues, ...(failOn.includes('unchecked') ? ['pages that could not be checked'] : [])].join(' or ');
}
