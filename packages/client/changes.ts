/**
 * How single occurrences changed since an earlier report, in the order in which all lists and sentences have them:
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

/**
 * How a decision makes an occurrence count in only one of two reports, or as an error in only one: in this report, or in the
 * earlier one.
 */
export const DECISION_EFFECTS = ['error', 'not_an_error', 'error_before', 'not_an_error_before'] as const;
export type DecisionEffect = (typeof DECISION_EFFECTS)[number];

/** How many occurrences have each effect. */
export type DecisionEffects = Readonly<Record<DecisionEffect, number>>;

/** The same for an issue type; effects that none has may be missing. */
export type DecidedOccurrences = Partial<DecisionEffects>;

/** Returns what people read for each effect. @param isOtherSite whether the two reports are of different sites */
export function decisionWords(isOtherSite: boolean | null): Readonly<Record<DecisionEffect, string>> {
  const [here, there] = isOtherSite === true ? [' here', ' there'] : ['', ' before'];
  return {
    error: `error by decision${here}`,
    not_an_error: `not an error by decision${here}`,
    error_before: `error by decision${there}`,
    not_an_error_before: `not an error by decision${there}`,
  };
}

/** Returns `By decision: 2 errors, 1 not an error.`; empty if decisions have changed nothing. */
export function decidedSentence(decided: DecidedOccurrences, isOtherSite: boolean | null = false): string {
  const [here, there] = isOtherSite === true ? [' here', ' there'] : ['', ' before'];
  const words = DECISION_EFFECTS.flatMap((effect) => {
    const howMany = decided[effect] ?? 0;
    if (howMany === 0) return [];
    const what = effect.startsWith('not')
      ? howMany === 1
        ? 'not an error'
        : 'not errors'
      : howMany === 1
        ? 'error'
        : 'errors';
    return `${howMany.toLocaleString('en')} ${what}${effect.endsWith('before') ? there : here}`;
  });
  return words.length === 0 ? '' : `By decision: ${words.join(', ')}.`;
}

/** Occurrences of two reports that are neither new nor fixed, apart from those that are as before. */
type Unexamined = { readonly not_checked_before: number; readonly unverified: number };

/**
 * Returns what cannot be attributed to the site, for lists: occurrences that only one of two reports looked for, or that a
 * decision has changed.
 */
export function unexaminedWords(
  { not_checked_before: notBefore, unverified }: Unexamined,
  decided: DecidedOccurrences,
): readonly string[] {
  const {
    error = 0,
    not_an_error: without = 0,
    error_before: errorBefore = 0,
    not_an_error_before: before = 0,
  } = decided;
  const lines: readonly (readonly [number, one: string, many?: string])[] = [
    [error, 'that became an error by decision', 'that became errors by decision'],
    [
      without,
      'of the earlier report that is not an error by decision',
      'of the earlier report that are not errors by decision',
    ],
    [
      errorBefore,
      'that was an error by decision in the earlier report',
      'that were errors by decision in the earlier report',
    ],
    [
      before,
      'that was not an error by decision in the earlier report',
      'that were not errors by decision in the earlier report',
    ],
    [notBefore - before, 'that the earlier report did not look for, or muted'],
    [unverified - without, 'of the earlier report that the later one did not look for, or mutes'],
  ];
  return lines.flatMap(([howMany, one, many = one]) => {
    if (howMany <= 0) return [];
    return `${howMany.toLocaleString('en')} ${howMany === 1 ? `occurrence ${one}` : `occurrences ${many}`}`;
  });
}

/** Returns how many of some occurrences are errors, such as `, 6 of them errors`; empty if all of them are. */
export function errorsAmong(errors: number, occurrences: number): string {
  return errors === occurrences ? '' : `, ${errors.toLocaleString('en')} of them errors`;
}
