import { count } from './formats.ts';

/** What became of an issue type or an occurrence since the previous report, in a word or two. */
export const CHANGE_WORDS = {
  new: 'new',
  regressed: 'back',
  found_again: 'found again',
  more: 'more',
  fewer: 'fewer',
  persisting: 'as before',
  unverified: 'not verified',
  fixed: 'fixed',
} as const;

/** What became of single occurrences, in the order in which they are shown. */
const OCCURRENCE_CHANGES = ['new', 'regressed', 'found_again', 'unverified', 'fixed'] as const;

/** Returns how many occurrences changed: `2 new, 1 fixed`. */
export function occurrenceWords(occurrences: Readonly<Record<(typeof OCCURRENCE_CHANGES)[number], number>>): string {
  return OCCURRENCE_CHANGES.filter((change) => occurrences[change] > 0)
    .map((change) => `${count(occurrences[change])} ${CHANGE_WORDS[change]}`)
    .join(', ');
}
