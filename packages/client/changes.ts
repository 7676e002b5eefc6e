/**
 * What became of single occurrences since an earlier report, in the order in which all lists and sentences have them:
 * docs/numbers.md.
 */
export const CHANGES = ['new', 'regressed', 'not_checked_before', 'persisting', 'fixed', 'unverified'] as const;
export type Change = (typeof CHANGES)[number];

/** The changes of occurrences that are not as before. */
export const OTHER_CHANGES = CHANGES.filter((change) => change !== 'persisting');

/** The changes of occurrences that are still there. */
export const PRESENT_CHANGES = [
  'new',
  'regressed',
  'not_checked_before',
  'persisting',
] as const satisfies readonly Change[];
export type PresentChange = (typeof PRESENT_CHANGES)[number];

/** What people read for each change, of occurrences and of issue types. */
export const CHANGE_WORDS = {
  new: 'new',
  regressed: 'back',
  not_checked_before: 'not checked before',
  more: 'more',
  fewer: 'fewer',
  persisting: 'as before',
  fixed: 'fixed',
  unverified: 'not verified',
} as const;

type ChangeWords = Readonly<Record<keyof typeof CHANGE_WORDS, string>>;

/** The same for reports of different sites, whose differences are not changes of one site over time. */
const OTHER_SITE_WORDS: ChangeWords = {
  new: 'only here',
  regressed: 'only here now',
  not_checked_before: 'not checked there',
  more: 'more here',
  fewer: 'fewer here',
  persisting: 'in both',
  fixed: 'only there',
  unverified: 'not checked here',
};

/** Returns what people read for each change. @param isOtherSite whether the two reports are of different sites */
export function changeWords(isOtherSite: boolean | null): ChangeWords {
  return isOtherSite === true ? OTHER_SITE_WORDS : CHANGE_WORDS;
}

/** How many occurrences of an issue type have each change; changes that none has may be missing. */
export type ChangedOccurrences = Readonly<Partial<Record<Change, number>>>;

/**
 * Returns how many occurrences an issue type had and has where both reports looked for them: without those that are unverified or
 * were not checked before.
 */
export function comparedOf(occurrences: ChangedOccurrences): { readonly before: number; readonly now: number } {
  const { new: added = 0, regressed = 0, persisting = 0, fixed = 0 } = occurrences;
  return { before: persisting + fixed, now: persisting + added + regressed };
}

/** Returns how many occurrences have each change: `2 new, 1 not verified`. Changes that none has are left out. */
export function occurrenceWords(
  occurrences: ChangedOccurrences,
  changes: readonly Change[] = CHANGES,
  words: ChangeWords = CHANGE_WORDS,
): string {
  return changes
    .flatMap((change) => {
      const howMany = occurrences[change] ?? 0;
      return howMany > 0 ? `${howMany.toLocaleString('en')} ${words[change]}` : [];
    })
    .join(', ');
}

/** Returns how many of some occurrences are errors, such as `, 6 of them errors`; empty if all of them are. */
export function errorsAmong(errors: number, occurrences: number): string {
  return errors === occurrences ? '' : `, ${errors.toLocaleString('en')} of them errors`;
}
