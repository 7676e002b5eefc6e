/** What became of single occurrences since an earlier report: docs/decisions/0054-report-comparison.md. */
export const CHANGES = ['new', 'regressed', 'found_again', 'persisting', 'unverified', 'fixed'] as const;
export type Change = (typeof CHANGES)[number];

/** The changes of occurrences that are still there. */
export const PRESENT_CHANGES = ['new', 'persisting', 'regressed', 'found_again'] as const satisfies readonly Change[];
export type PresentChange = (typeof PRESENT_CHANGES)[number];

/** What people read for each change, of occurrences and of issue types: docs/numbers.md. The dashboard has the same words. */
export const CHANGE_WORDS = {
  new: 'new',
  regressed: 'back',
  found_again: 'found again',
  more: 'more',
  persisting: 'as before',
  fewer: 'fewer',
  unverified: 'not verified',
  fixed: 'fixed',
} as const;

/** How many occurrences of an issue type have each change; changes that none has may be missing. */
export type ChangedOccurrences = Readonly<Partial<Record<Change, number>>>;

/**
 * What became of an issue type as a whole: all of it is new (`new`, or `regressed` if some is back) or `fixed`; it has more, fewer or as
 * many occurrences (`persisting`); or none that both reports looked for, but some that are `found_again`, or `unverified`.
 */
export const TYPE_CHANGES = [
  'new',
  'regressed',
  'found_again',
  'more',
  'persisting',
  'fewer',
  'unverified',
  'fixed',
] as const;
export type TypeChange = (typeof TYPE_CHANGES)[number];

/** The changes of issue types that a report has. */
export const PRESENT_TYPE_CHANGES = [
  'new',
  'regressed',
  'found_again',
  'more',
  'persisting',
  'fewer',
] as const satisfies readonly TypeChange[];
export type PresentTypeChange = (typeof PRESENT_TYPE_CHANGES)[number];

/** What lists of issue types can be filtered by: a change of at least one occurrence, or of their number. */
export const CHANGE_NAMES = [...CHANGES, 'more', 'fewer'] as const satisfies readonly (Change | TypeChange)[];
export type ChangeName = (typeof CHANGE_NAMES)[number];

export const PRESENT_CHANGE_NAMES = [...PRESENT_CHANGES, 'more', 'fewer'] as const satisfies readonly ChangeName[];
export type PresentChangeName = (typeof PRESENT_CHANGE_NAMES)[number];

/** Returns what became of an issue type. It has more or fewer occurrences by those that both reports looked for. */
export function typeChangeOf(occurrences: ChangedOccurrences): TypeChange {
  const { regressed = 0, found_again: again = 0, unverified = 0 } = occurrences;
  const { before, now } = comparedOf(occurrences);
  if (before + now === 0) return again > 0 ? 'found_again' : 'unverified';
  if (before + unverified + again === 0) return regressed > 0 ? 'regressed' : 'new';
  if (now + unverified + again === 0) return 'fixed';
  if (now === before) return 'persisting';
  return now > before ? 'more' : 'fewer';
}

/**
 * Returns how many occurrences an issue type had and has where both reports looked for them: without those that are unverified or
 * found again.
 */
export function comparedOf(occurrences: ChangedOccurrences): { readonly before: number; readonly now: number } {
  const { new: added = 0, regressed = 0, persisting = 0, fixed = 0 } = occurrences;
  return { before: persisting + fixed, now: persisting + added + regressed };
}

/** Returns how many occurrences have each change: `2 new, 1 not verified`. Changes that none has are left out. */
export function occurrenceWords(occurrences: ChangedOccurrences, changes: readonly Change[] = CHANGES): string {
  return changes
    .flatMap((change) => {
      const howMany = occurrences[change] ?? 0;
      return howMany > 0 ? `${howMany.toLocaleString('en')} ${CHANGE_WORDS[change]}` : [];
    })
    .join(', ');
}

/** The changes of occurrences that are not as before. */
export const OTHER_CHANGES = CHANGES.filter((change) => change !== 'persisting');

/**
 * Why occurrences cannot be verified, unless the settings of the reports differ: their page now returns 404 or 410, could not be checked
 * for another reason, is not in the report, or has more howMany than are compared.
 */
export const UNVERIFIED_CAUSES = ['page_gone', 'not_checked', 'page_missing', 'too_many_occurrences'] as const;
export type UnverifiedCause = (typeof UNVERIFIED_CAUSES)[number];

/**
 * Why they changed: the site, the versions of the engine, or the settings of the reports; `measurement` if all of these are the same as
 * far as is known (decision 0054); or why they are unverified.
 */
export const CHANGE_CAUSES = ['site', 'engine', 'settings', 'measurement', ...UNVERIFIED_CAUSES] as const;
export type ChangeCause = (typeof CHANGE_CAUSES)[number];

/** Why a re-check found something else: it has the settings of the check before. */
export const RECHECK_CAUSES = ['site', 'engine', 'measurement'] as const satisfies readonly ChangeCause[];
export type RecheckCause = (typeof RECHECK_CAUSES)[number];

/**
 * What became of the pages of a site since an earlier report. A page is broken if a check that ran in the earlier report failed in
 * this one because of the page, such as by a 404 response; recovered the other way round. The others are in one of the reports only.
 */
export const PAGE_CHANGES = ['broken', 'recovered', 'added', 'removed'] as const;
export type PageChangeName = (typeof PAGE_CHANGES)[number];

/** The changes of pages that came and went: those that are listed unless a client asks for others (decision 0054). */
export const LISTED_PAGE_CHANGES = ['added', 'removed'] as const satisfies readonly PageChangeName[];

/** The result of the last re-check for an occurrence: persisting or new. Fixed occurrences no longer exist. */
export const RECHECK_MARKS = ['still', 'new'] as const;
export type RecheckMark = (typeof RECHECK_MARKS)[number];
