/** What became of single occurrences since an earlier report: docs/decisions/0054-report-comparison.md. */
export const CHANGES = ['new', 'regressed', 'persisting', 'unverified', 'fixed'] as const;
export type Change = (typeof CHANGES)[number];

/** What people read for them: docs/numbers.md. */
export const CHANGE_WORDS: Readonly<Record<Change, string>> = {
  new: 'new',
  regressed: 'back again',
  persisting: 'as before',
  unverified: 'not verified',
  fixed: 'fixed',
};

/** The changes of occurrences that are still there. */
export const PRESENT_CHANGES = ['new', 'persisting', 'regressed'] as const satisfies readonly Change[];
export type PresentChange = (typeof PRESENT_CHANGES)[number];

/** How many occurrences of an issue type have each change; changes that none has may be missing. */
export type ChangedOccurrences = Readonly<Partial<Record<Change, number>>>;

/**
 * What became of an issue type as a whole: it was not in the earlier report (`new`, or `regressed` if it was in one before), has more,
 * fewer or as many occurrences (`persisting`), is gone because its pages were not checked (`unverified`), or is gone (`fixed`).
 */
export const TYPE_CHANGES = ['new', 'regressed', 'more', 'persisting', 'fewer', 'unverified', 'fixed'] as const;
export type TypeChange = (typeof TYPE_CHANGES)[number];

/** The changes of issue types that a report has. */
export const PRESENT_TYPE_CHANGES = [
  'new',
  'regressed',
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

/** Returns what became of an issue type. Unverified occurrences count as still there. */
export function typeChangeOf(occurrences: ChangedOccurrences): TypeChange {
  const { new: added = 0, regressed = 0, persisting = 0, unverified = 0, fixed = 0 } = occurrences;
  const came = added + regressed;
  if (came + persisting === 0) return unverified > 0 ? 'unverified' : 'fixed';
  if (persisting + unverified + fixed === 0) return regressed > 0 ? 'regressed' : 'new';
  if (came === fixed) return 'persisting';
  return came > fixed ? 'more' : 'fewer';
}

/**
 * Why places cannot be verified, unless the settings of the reports differ: their page now returns 404 or 410, could not be checked
 * for another reason, is not in the report, or has more places than are compared.
 */
export const UNVERIFIED_CAUSES = ['page_gone', 'not_checked', 'page_missing', 'too_many_places'] as const;
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
