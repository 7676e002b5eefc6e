/** What the headings of axe's summaries mean: which of the faults below them have to be put right. */
const HEADINGS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^Fix any of the following:$/gm, 'One of these has to be put right:'],
  [/^Fix all of the following:$/gm, 'All of these have to be put right:'],
];

/** Returns a summary of axe as a list of faults, which is what it has below its headings; null without one. */
export function faultsIn(summary: string | null): string | null {
  if (summary === null) return null;
  const faults = summary.replace(/^ {2}/gm, '• ');
  // A single fault needs no heading.
  if (faults.match(/^• /gm)?.length === 1) return faults.replace(/^Fix \w+ of the following:\n• /, '');
  return HEADINGS.reduce((text, [pattern, words]) => text.replace(pattern, words), faults);
}
