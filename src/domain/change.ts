import {
  CHANGES,
  type Change,
  type ChangedOccurrences,
  comparedOf,
  PRESENT_CHANGES,
} from '../../packages/client/changes.ts';

/**
 * The change of an issue type as a whole: all its occurrences are new (`new`, or `regressed` if some are back) or `fixed`; it has
 * more, fewer or equally many (`persisting`); or none that both reports looked for, but some that are `not_checked_before` or
 * `unverified`.
 */
export const TYPE_CHANGES = [
  'new',
  'regressed',
  'not_checked_before',
  'more',
  'fewer',
  'persisting',
  'fixed',
  'unverified',
] as const;
export type TypeChange = (typeof TYPE_CHANGES)[number];

/** The changes of issue types that occur in the later report. */
export const PRESENT_TYPE_CHANGES = [
  'new',
  'regressed',
  'not_checked_before',
  'more',
  'fewer',
  'persisting',
] as const satisfies readonly TypeChange[];
export type PresentTypeChange = (typeof PRESENT_TYPE_CHANGES)[number];

/** The filters for lists of issue types: a change of at least one occurrence, or of the number of occurrences. */
export const CHANGE_NAMES = [...CHANGES, 'more', 'fewer'] as const satisfies readonly (Change | TypeChange)[];
export type ChangeName = (typeof CHANGE_NAMES)[number];

export const PRESENT_CHANGE_NAMES = [...PRESENT_CHANGES, 'more', 'fewer'] as const satisfies readonly ChangeName[];
export type PresentChangeName = (typeof PRESENT_CHANGE_NAMES)[number];

/**
 * Returns the change of an issue type. Whether it has more or fewer occurrences depends on the occurrences that both reports
 * looked for.
 */
export function typeChangeOf(occurrences: ChangedOccurrences): TypeChange {
  const { regressed = 0, not_checked_before: again = 0, unverified = 0 } = occurrences;
  const { before, now } = comparedOf(occurrences);
  if (before + now === 0) return again > 0 ? 'not_checked_before' : 'unverified';
  if (before + unverified + again === 0) return regressed > 0 ? 'regressed' : 'new';
  if (now + unverified + again === 0) return 'fixed';
  if (now === before) return 'persisting';
  return now > before ? 'more' : 'fewer';
}

/**
 * Why occurrences were checked in one report only, unless the settings of the reports differ: in the other report, their page
 * returns 404 or 410, could not be checked for another reason, is missing, or has too many occurrences to compare.
 */
export const UNVERIFIED_CAUSES = ['page_gone', 'not_checked', 'page_missing', 'too_many_occurrences'] as const;
export type UnverifiedCause = (typeof UNVERIFIED_CAUSES)[number];

/**
 * Why the earlier report could not have found an occurrence: other settings, a page that could not be checked, or a page that its
 * crawl did not reach.
 */
export type NotBeforeCause = 'settings' | 'not_checked' | 'page_missing';

/**
 * Why occurrences changed: the site, the versions of the engine, or the settings of the reports; `measurement` if all of these
 * are the same as far as is known (decision 0054); or why they are unverified, which includes occurrences that are muted in one
 * report. A decision is also the cause if both reports have an occurrence that is an error in only one of them.
 */
export const CHANGE_CAUSES = [
  'site',
  'engine',
  'settings',
  'measurement',
  'muting',
  'decision',
  ...UNVERIFIED_CAUSES,
] as const;
export type ChangeCause = (typeof CHANGE_CAUSES)[number];

/** Why a re-check has a different result. Settings are not a cause: both checks have the same. */
export const RECHECK_CAUSES = ['site', 'engine', 'measurement'] as const satisfies readonly ChangeCause[];
export type RecheckCause = (typeof RECHECK_CAUSES)[number];

/**
 * The changes of the pages of a site since an earlier report. A page is broken if a check that ran in the earlier report failed
 * in this report because of the page, such as a 404 response; recovered in the reverse case. Added and removed pages are only in
 * one of the reports.
 */
export const PAGE_CHANGES = ['broken', 'recovered', 'added', 'removed'] as const;
export type PageChangeName = (typeof PAGE_CHANGES)[number];

/** Added and removed pages: the changes that are listed unless a client requests others (decision 0054). */
export const LISTED_PAGE_CHANGES = ['added', 'removed'] as const satisfies readonly PageChangeName[];

/** The result of the last re-check for an occurrence: persisting or new. Fixed occurrences no longer exist. */
export const RECHECK_MARKS = ['still', 'new'] as const;
export type RecheckMark = (typeof RECHECK_MARKS)[number];
