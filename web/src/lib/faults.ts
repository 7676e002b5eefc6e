/** The headings of axe's summaries in plain words: which of the problems below them must be fixed. */
const HEADINGS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^Fix any of the following:$/gm, 'Fix one of these:'],
  [/^Fix all of the following:$/gm, 'Fix all of these:'],
];

/** Returns a summary of axe as a list of problems, which are the lines below its headings; null without a summary. */
export function faultsIn(summary: string | null): string | null {
  if (summary === null) return null;
  const faults = summary.replace(/^ {2}/gm, '• ');
  // A single problem needs no heading.
  if (faults.match(/^• /gm)?.length === 1) return faults.replace(/^Fix \w+ of the following:\n• /, '');
  return HEADINGS.reduce((text, [pattern, words]) => text.replace(pattern, words), faults);
}
