import type { NotBeforeCause } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import {
  type CheckedPage,
  type CheckOfBoth,
  hasOtherOccurrences,
  isCrowded,
  occurrenceKeysIn,
} from '../issues/diff-pages.ts';
import { followEdits } from '../issues/follow-edits.ts';
import { FINGERPRINT_BYTES } from '../issues/identity.ts';
import { nextTurn, slicesByWeight } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { matchedUrl, matchPages, type PageMatch } from '../store/diffs/page-match.ts';
import {
  type CheckResults,
  type ChosenIssueTypes,
  checkedPages,
  countOccurrencesOfPages,
  crawlOf,
  occurrencesInReports,
  type PageResults,
  type PageState,
  pageStates,
  type ReadIssue,
  readIssues,
} from '../store/diffs/page-results.ts';
import { isCrawlSetting, type SettingChange, settingChanges } from '../store/reports/examined-settings.ts';
import { reportsBefore } from '../store/reports/previous-report.ts';
import { type ResultsAt, resultsToRead } from '../store/reports/results-at-end.ts';
import { type UntestedTypes, untestedTypes } from './untested-types.ts';

/** Occurrences read at a time, or all occurrences of one page. Each takes 16 bytes until its page is compared. */
const BATCH_OCCURRENCES = 50_000;
/** Occurrences of earlier reports that are examined before other work gets its turn. */
const TURN_OCCURRENCES = 10_000;
/** The number of reports before the previous one in which to look for an occurrence. */
const EARLIER_REPORTS_MAX = 10;

/** A report, and the earlier report that it is compared with. */
export interface ReportPair {
  readonly reportId: string;
  readonly withId: string;
  /** The results of the report that are compared. */
  readonly at: ResultsAt;
  /** Where to read the results at the end of the earlier report. */
  readonly atBefore: ResultsAt;
  readonly match: PageMatch;
  /** The reports before the earlier one. */
  readonly earlier: readonly string[];
  /** The settings in which the two reports differ. */
  readonly settings: readonly SettingChange[];
  /** The issue types that each report could not find because their rules did not run. */
  readonly untested: UntestedTypes;
  /** The kinds of check that the earlier report has. */
  readonly kindsBefore: readonly CheckKind[];
  /** Whether the earlier report has every page that it would have had if all pages of this report had existed. */
  readonly isWholeBefore: boolean;
}

/** @param at which results of the report to compare with the results at the end of the earlier one */
export async function pairOf(
  db: Executor,
  reportId: string,
  withId: string,
  at: ResultsAt = 'end',
): Promise<ReportPair> {
  const match = await matchPages(db, reportId, withId);
  const settings = await settingChanges(db, reportId, withId);
  const { kinds, isWhole } = await crawlOf(db, withId);
  return {
    ...{ reportId, withId, match, settings, kindsBefore: kinds },
    untested: await untestedTypes(db, reportId, withId),
    at: await resultsToRead(db, reportId, at),
    atBefore: await resultsToRead(db, withId, 'end'),
    earlier: await reportsBefore(db, withId, EARLIER_REPORTS_MAX),
    isWholeBefore: isWhole && !settings.some(isCrawlSetting),
  };
}

/** A check of a page in one of the reports. */
interface CheckOfPage {
  readonly kind: CheckKind;
  /** The id of the page. */
  readonly page: number;
  readonly check: CheckResults;
}

export interface UncomparedCheck extends CheckOfPage {
  /** Whether it has a result now, but too many occurrences. */
  readonly isCrowded: boolean;
}

/** A page of a report with its earlier results. */
export interface ComparedPage {
  readonly url: string;
  /** The id of the page in the report; undefined if the page has no results there. */
  readonly id: number | undefined;
  /** Its checks that can be compared. */
  readonly checks: ReadonlyMap<CheckKind, CheckOfBoth>;
  /**
   * Its other checks in the earlier report: it has no result of these now, or one of the two results has too many occurrences.
   */
  readonly uncompared: readonly UncomparedCheck[];
  /** Its current occurrences that were also in the reports before the earlier one. */
  readonly earlier: ReadonlySet<string>;
}

/**
 * Compares pages of two reports, some at a time, so that they need little memory regardless of their number and size: counts
 * their occurrences first, and reads the occurrences that can be compared. Other work gets its turn between the checks of a page.
 * @param urls in the report
 * @param only the issue types to read; all of them by default
 */
export async function* diffPages(
  db: Executor,
  pair: ReportPair,
  urls: readonly string[],
  only?: ChosenIssueTypes,
): AsyncGenerator<ComparedPage> {
  const there = (url: string): string => matchedUrl(pair.match, url);
  const now = await checkedPages(db, pair.reportId, urls, { at: pair.at, kind: only?.kind });
  const before = await checkedPages(db, pair.withId, urls.map(there), { at: pair.atBefore, kind: only?.kind });
  const incomplete = urls.filter((url) => {
    const kinds = before.get(there(url))?.checks;
    return [...(now.get(url)?.checks.keys() ?? [])].some((kind) => !kinds?.has(kind));
  });
  const known = await pageStates(db, pair.withId, incomplete.map(there), pair.atBefore);
  const pages = urls.map((url) => countedPage(url, now.get(url), before.get(there(url))));
  const notBefore = (url: string, kind: CheckKind) => whyNotBefore(pair, kind, known.get(there(url)));
  for (const some of slicesByWeight(pages, ({ howMany }) => howMany, BATCH_OCCURRENCES)) {
    const issues = await readIssues(
      db,
      some.flatMap(({ comparable }) => comparable),
      only,
    );
    const changed: ComparedPage[] = [];
    for (const { url, id, comparable, uncompared } of some) {
      const checks = await compareChecks(pair, comparable, id, issues, (kind) => notBefore(url, kind));
      const page = { url, id, checks, uncompared, earlier: NONE };
      if ([...page.checks.values()].some(hasOtherOccurrences)) changed.push(page);
      else yield page;
    }
    yield* withEarlier(db, pair, changed, only);
  }
}

const NONE: ReadonlySet<string> = new Set();

interface CountedPage extends Pick<ComparedPage, 'url' | 'id' | 'uncompared'> {
  /** The checks that can be compared, of both reports, without issues. */
  readonly comparable: readonly CheckOfPage[];
  /** The number of their occurrences. */
  readonly howMany: number;
}

function countedPage(url: string, now: PageResults | undefined, before: PageResults | undefined): CountedPage {
  const kinds = [...(now?.checks ?? [])].flatMap(([kind, check]) =>
    isCrowded(check, before?.checks.get(kind)) ? [] : kind,
  );
  const checksOf = (page: PageResults | undefined): CheckOfPage[] =>
    page === undefined ? [] : [...page.checks].map(([kind, check]) => ({ kind, page: page.id, check }));
  const comparable = [now, before].flatMap(checksOf).filter(({ kind }) => kinds.includes(kind));
  const uncompared = checksOf(before).flatMap((check) =>
    kinds.includes(check.kind) ? [] : { ...check, isCrowded: now?.checks.has(check.kind) ?? false },
  );
  return {
    url,
    id: now?.id,
    comparable,
    uncompared,
    howMany: comparable.reduce((sum, { check }) => sum + check.howMany + check.howManyMuted, 0),
  };
}

/**
 * Returns why the earlier report has no result of a check of a page; null if the page did not exist.
 * @param page in the earlier report
 */
function whyNotBefore(
  { settings, kindsBefore, isWholeBefore }: ReportPair,
  kind: CheckKind,
  page: PageState | undefined,
): NotBeforeCause | null {
  if (!kindsBefore.includes(kind)) return 'settings';
  if (page !== undefined) return page.isGone ? null : 'not_checked';
  if (isWholeBefore) return null;
  return settings.some(isCrawlSetting) ? 'settings' : 'page_missing';
}

/**
 * @param id of the page in the report
 * @param notBefore returns why the earlier report has no result of a kind of check
 */
async function compareChecks(
  { untested }: ReportPair,
  comparable: readonly CheckOfPage[],
  id: number | undefined,
  issues: Awaited<ReturnType<typeof readIssues>>,
  notBefore: (kind: CheckKind) => NotBeforeCause | null,
): Promise<ReadonlyMap<CheckKind, CheckOfBoth>> {
  const placed = ({ check }: CheckOfPage): CheckedPage =>
    pageWithMuted(check, issues.get(check) ?? [], occurrenceKeysIn);
  const checks = new Map<CheckKind, CheckOfBoth>();
  for (const [kind, both] of Map.groupBy(comparable, (check) => check.kind)) {
    await nextTurn();
    const [found, earlier] = [both.find(({ page }) => page === id), both.find(({ page }) => page !== id)];
    if (found === undefined) continue;
    const now = placed(found);
    if (earlier === undefined) {
      checks.set(kind, { now, before: null, notBefore: notBefore(kind) });
      continue;
    }
    const before = followEdits(now, placed(earlier));
    checks.set(kind, {
      now: withUntested(now, before, untested.now),
      before: withUntested(before, now, untested.before),
      notBefore: null,
    });
  }
  return checks;
}

/**
 * @param issues of the check, with muted ones
 * @param read returns packed fingerprints as they are compared
 */
export function pageWithMuted(
  check: CheckResults,
  issues: readonly ReadIssue[],
  read: (packed: Uint8Array) => string[],
): CheckedPage {
  const all = issues.map(({ id, commonIssue, occurrences, ...issue }) => ({
    ...issue,
    ...(id !== null && commonIssue !== null && { id, commonIssue }),
    occurrences: read(occurrences),
  }));
  const uncounted = all.flatMap(({ muted, isOutside, decided, occurrences }) => {
    const cause = isOutside ? 'settings' : decided === 'not_an_error' ? 'decision' : 'muting';
    return muted ? occurrences.map((occurrence) => [occurrence, cause] as const) : [];
  });
  const errors = all.flatMap(({ decided, occurrences }) => (decided === 'error' ? occurrences : []));
  return {
    ...check,
    issues: all,
    occurrences: new Set(all.flatMap(({ occurrences }) => occurrences)),
    ...(uncounted.length > 0 && { uncounted: new Map(uncounted) }),
    ...(errors.length > 0 && { decidedErrors: new Set(errors) }),
  };
}

/**
 * Adds to a page what the other report found with rules that did not run on this page, as occurrences that do not count: nothing
 * shows whether they are new or fixed.
 * @param types the fingerprints of the issue types of these rules
 */
function withUntested(page: CheckedPage, other: CheckedPage, types: ReadonlySet<string>): CheckedPage {
  const issues = other.issues.filter(({ fingerprint }) => types.has(fingerprint));
  if (issues.length === 0) return page;
  const occurrences = new Set(issues.flatMap((issue) => issue.occurrences));
  const untested = [...occurrences].map((occurrence) => [occurrence, 'settings'] as const);
  return {
    ...page,
    occurrences: page.occurrences.union(occurrences),
    uncounted: new Map([...(page.uncounted ?? []), ...untested]),
  };
}

/** @param read returns packed fingerprints as they are compared */
export function checkedPage(results: CheckResults, read: (packed: Uint8Array) => string[]): CheckedPage {
  const issues = results.issues.map((issue) => ({ ...issue, occurrences: read(issue.occurrences) }));
  return { ...results, issues, occurrences: new Set(issues.flatMap(({ occurrences }) => occurrences)) };
}

/** Looks in the reports before the earlier one for occurrences that the earlier one does not have. */
async function* withEarlier(
  db: Executor,
  { earlier: reports, match }: ReportPair,
  changed: readonly ComparedPage[],
  only: ChosenIssueTypes | undefined,
): AsyncGenerator<ComparedPage> {
  const there = ({ url }: ComparedPage): string => matchedUrl(match, url);
  const counts = await countOccurrencesOfPages(db, reports, changed.map(there));
  for (const some of slicesByWeight(changed, (page) => counts.get(there(page)) ?? 0, BATCH_OCCURRENCES)) {
    const occurrences = await occurrencesInReports(db, reports, some.map(there), only);
    for (const page of some)
      yield { ...page, earlier: await occurrencesAgain(page, occurrences.get(there(page)) ?? []) };
  }
}

/** Returns the current occurrences of a page that were also in earlier reports. @param packed its occurrences there */
async function occurrencesAgain({ checks }: ComparedPage, packed: readonly Uint8Array[]): Promise<ReadonlySet<string>> {
  const now = [...checks.values()].flatMap((check) => check.now?.occurrences ?? []);
  const again = new Set<string>();
  let looked = 0;
  for (const bytes of packed) {
    for (let start = 0; start < bytes.length; start += TURN_OCCURRENCES * FINGERPRINT_BYTES) {
      const keys = occurrenceKeysIn(bytes.subarray(start, start + TURN_OCCURRENCES * FINGERPRINT_BYTES));
      for (const key of keys) if (now.some((occurrences) => occurrences.has(key))) again.add(key);
      looked += keys.length;
      if (looked < TURN_OCCURRENCES) continue;
      looked = 0;
      await nextTurn();
    }
  }
  return again;
}
