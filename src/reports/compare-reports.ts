import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ChangeCount,
  ChangeTally,
  type CheckedPage,
  type CheckOfBoth,
  hasOtherPlaces,
  isCrowded,
  placeKeysIn,
} from '../answers/compare-pages.ts';
import { followEdits } from '../answers/follow-edits.ts';
import { FINGERPRINT_BYTES } from '../answers/identity.ts';
import { CHECK_KINDS } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import { slicesByWeight } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { matchedUrl, matchPages, type PageMatch } from '../store/page-match.ts';
import {
  type CheckResults,
  countPlaces,
  nextUrls,
  type PageResults,
  pageResults,
  placesInReports,
  urlsIn,
} from '../store/page-results.ts';
import { reportsBefore } from '../store/sites.ts';

/** Pages compared at a time. */
const BATCH_PAGES = 100;
/** Places read at a time, or those of one page. Each takes 16 bytes until its page is compared. */
const BATCH_PLACES = 50_000;
/** Places of earlier reports that are looked at before other work has its turn. */
const TURN_PLACES = 10_000;
/** Reports before the previous one in which a place is looked for. */
export const EARLIER_REPORTS_MAX = 10;

/**
 * Compares a report with an earlier one, page by page in the order of their URLs, so that reports of any size need little memory.
 * Other work has its turn between the checks of a page. Pages of other origins are matched by the rest of their URLs.
 * @param isSameSite whether both reports have the same settings
 */
export async function compareReports(
  db: Executor,
  reportId: string,
  withId: string,
  isSameSite: boolean,
): Promise<ChangeCount[]> {
  const tally = new ChangeTally(isSameSite);
  const match = await matchPages(db, reportId, withId);
  const there = (url: string): string => matchedUrl(match, url);
  const earlier = { reports: await reportsBefore(db, withId, EARLIER_REPORTS_MAX), match };
  for await (const urls of urlsOf(db, reportId)) {
    for await (const some of byPlaces(db, [reportId, withId], urls, match)) {
      const now = await pageResults(db, reportId, some);
      const before = await pageResults(db, withId, some.map(there));
      const changed = new Map<string, ChecksOfPage>();
      for (const url of some) {
        const checks = await checksOfBoth(tally, now.get(url), before.get(there(url)));
        if ([...checks.values()].some(hasOtherPlaces)) changed.set(url, checks);
        else addPage(tally, checks, NONE);
      }
      await addChanged(db, tally, changed, earlier);
    }
  }
  for await (const urls of urlsOf(db, withId)) {
    const still = new Set(await urlsIn(db, reportId, urls.map(there)));
    const gone = urls.filter((url) => !still.has(there(url)));
    for await (const some of byPlaces(db, [withId], gone, match)) {
      for (const page of (await pageResults(db, withId, some)).values()) await checksOfBoth(tally, undefined, page);
    }
  }
  return tally.counts();
}

/** Yields the URLs of the pages of a report, in order, some at a time. */
export async function* urlsOf(db: Executor, reportId: string): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const urls = await nextUrls(db, reportId, after, BATCH_PAGES);
    if (urls.length > 0) yield urls;
    if (urls.length < BATCH_PAGES) return;
    after = urls.at(-1) ?? '';
  }
}

/** Yields the URLs in their order, as many at a time as have `BATCH_PLACES` in the reports, where they may have either origin. */
async function* byPlaces(
  db: Executor,
  reportIds: readonly string[],
  urls: readonly string[],
  match: PageMatch,
): AsyncGenerator<readonly string[]> {
  const ofUrl = (url: string): string[] => [...new Set([url, matchedUrl(match, url)])];
  const places = await countPlaces(db, reportIds, urls.flatMap(ofUrl));
  const weight = (url: string): number => ofUrl(url).reduce((sum, each) => sum + (places.get(each) ?? 0), 0);
  yield* slicesByWeight(urls, weight, BATCH_PLACES);
}

type ChecksOfPage = ReadonlyMap<CheckKind, CheckOfBoth>;

/** Returns the checks of a page that can be compared, and adds those that cannot. */
async function checksOfBoth(
  tally: ChangeTally,
  now: PageResults | undefined,
  before: PageResults | undefined,
): Promise<ChecksOfPage> {
  const checks = new Map<CheckKind, CheckOfBoth>();
  for (const kind of CHECK_KINDS) {
    const [check, earlier] = [now?.checks.get(kind), before?.checks.get(kind)];
    if (check === undefined || isCrowded(check, earlier)) {
      tally.addUnverified(kind, (earlier?.issues ?? []).map(withCount));
    } else {
      await nextTurn();
      const page = checkedPage(check);
      checks.set(kind, { now: page, before: earlier === undefined ? null : followEdits(page, checkedPage(earlier)) });
    }
  }
  return checks;
}

function withCount({ fingerprint, places }: CheckResults['issues'][number]) {
  return { fingerprint, howMany: places.length / FINGERPRINT_BYTES };
}

/** @param read returns packed fingerprints as they are compared */
export function checkedPage(results: CheckResults, read: (packed: Uint8Array) => string[] = placeKeysIn): CheckedPage {
  const issues = results.issues.map(({ id, fingerprint, places, traces }) => ({
    id,
    fingerprint,
    places: read(places),
    traces,
  }));
  return { ...results, issues, places: new Set(issues.flatMap(({ places }) => places)) };
}

/** Adds pages with places that they did not have in the previous report. */
async function addChanged(
  db: Executor,
  tally: ChangeTally,
  changed: ReadonlyMap<string, ChecksOfPage>,
  { reports, match }: { readonly reports: readonly string[]; readonly match: PageMatch },
): Promise<void> {
  const there = (url: string): string => matchedUrl(match, url);
  for await (const urls of byPlaces(db, reports, [...changed.keys()], match)) {
    const places = await placesInReports(db, reports, urls.map(there));
    for (const url of urls) {
      const checks = changed.get(url) ?? new Map();
      addPage(tally, checks, await placesAgain(checks, places.get(there(url)) ?? []));
    }
  }
}

/** Returns the places of a page now that it had in earlier reports. @param packed its places there */
async function placesAgain(checks: ChecksOfPage, packed: readonly Uint8Array[]): Promise<ReadonlySet<string>> {
  const now = [...checks.values()].flatMap((check) => check.now?.places ?? []);
  const again = new Set<string>();
  let looked = 0;
  for (const bytes of packed) {
    for (let start = 0; start < bytes.length; start += TURN_PLACES * FINGERPRINT_BYTES) {
      const keys = placeKeysIn(bytes.subarray(start, start + TURN_PLACES * FINGERPRINT_BYTES));
      for (const key of keys) if (now.some((places) => places.has(key))) again.add(key);
      looked += keys.length;
      if (looked < TURN_PLACES) continue;
      looked = 0;
      await nextTurn();
    }
  }
  return again;
}

const NONE: ReadonlySet<string> = new Set();

/** @param earlier the places that the page had in earlier reports */
function addPage(tally: ChangeTally, checks: ChecksOfPage, earlier: ReadonlySet<string>): void {
  for (const [kind, check] of checks) tally.add(kind, check, earlier);
}
