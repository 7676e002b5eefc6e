import {
  CHANGES,
  type Change,
  type ChangedOccurrences,
  comparedOf,
  PRESENT_CHANGES,
} from '../../packages/client/changes.ts';

/**
 * What became of an issue type as a whole: all of it is new (`new`, or `regressed` if some is back) or `fixed`; it has more, fewer or as
 * many occurrences (`persisting`); or none that both reports looked for, but some that are `found_again`, or `unverified`.
 */
export const TYPE_CHANGES = [
  'new',
  'regressed',
  'found_again',
  'more',
  'fewer',
  'persisting',
  'fixed',
  'unverified',
] as const;
export type TypeChange = (typeof TYPE_CHANGES)[number];

/** The changes of issue types that a report has. */
export const PRESENT_TYPE_CHANGES = [
  'new',
  'regressed',
  'found_again',
  'more',
  'fewer',
  'persisting',
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
