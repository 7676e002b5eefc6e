import { count } from '../lib/formats.ts';
import type { Kind } from '../lib/kinds.ts';
import type { Severity } from '../parts/severity.tsx';

/** What every issue has, whatever checked it. */
interface Graded {
  readonly issue_type: 'error' | 'warning';
  readonly impact?: 'minor' | 'moderate' | 'serious' | 'critical' | null;
}

/** Returns how bad an issue is: the impact of a barrier; else whether it is an error. Warnings of axe need review by a person. */
export function severityOf(issue: Graded, kind: Kind): Severity {
  if (kind === 'a11y') return issue.issue_type === 'warning' ? 'review' : (issue.impact ?? 'serious');
  return issue.issue_type;
}

/** Returns what is wrong: the message of a checker, or what the rule of axe requires. */
export function messageOf(issue: { readonly message: string } | { readonly help: string }): string {
  return 'help' in issue ? issue.help : issue.message;
}

/** What became of an issue type or an occurrence since the previous report, in a word or two. */
export const CHANGE_WORDS = {
  new: 'new',
  regressed: 'back again',
  more: 'more',
  fewer: 'fewer',
  persisting: 'as before',
  unverified: 'not verified',
  fixed: 'fixed',
} as const;

/** What became of single occurrences, in the order in which they are shown. */
const OCCURRENCE_CHANGES = ['new', 'regressed', 'unverified', 'fixed'] as const;

/** Returns how many occurrences changed: `2 new, 1 fixed`. */
export function occurrenceWords(occurrences: Readonly<Record<(typeof OCCURRENCE_CHANGES)[number], number>>): string {
  return OCCURRENCE_CHANGES.filter((change) => occurrences[change] > 0)
    .map((change) => `${count(occurrences[change])} ${CHANGE_WORDS[change]}`)
    .join(', ');
}
