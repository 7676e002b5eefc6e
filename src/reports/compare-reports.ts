import {
  type ChangeCount,
  ChangeTally,
  type CheckedPage,
  type CheckOfBoth,
  hasOtherPlaces,
  placesIn,
} from '../answers/compare-pages.ts';
import { CHECK_KINDS } from '../checks/registry.ts';
import type { CheckKind } from '../domain/check.ts';
import type { Executor } from '../store/database.ts';
import {
  type CheckResults,
  nextUrls,
  type PageResults,
  pageResults,
  placesInReports,
  urlsIn,
} from '../store/page-results.ts';
import { reportsBefore } from '../store/sites.ts';

/** Pages compared at a time. */
const BATCH_PAGES = 100;
/** Reports before the previous one in which a place is looked for. */
export const EARLIER_REPORTS_MAX = 10;

/**
 * Compares a report with an earlier one, page by page in the order of their URLs, so that reports of any size need little memory.
 * @param isSameSite whether both reports have the same settings
 */
export async function compareReports(
  db: Executor,
  reportId: string,
  withId: string,
  isSameSite: boolean,
): Promise<ChangeCount[]> {
  const tally = new ChangeTally(isSameSite);
  const earlier = await reportsBefore(db, withId, EARLIER_REPORTS_MAX);
  for await (const urls of urlsOf(db, reportId)) {
    const now = await pageResults(db, reportId, urls);
    const before = await pageResults(db, withId, urls);
    const changed = new Map<string, ChecksOfPage>();
    for (const url of urls) {
      const checks = checksOfBoth(now.get(url), before.get(url));
      if ([...checks.values()].some(hasOtherPlaces)) changed.set(url, checks);
      else addPage(tally, checks, []);
    }
    const places = await placesInReports(db, earlier, [...changed.keys()]);
    for (const [url, checks] of changed) addPage(tally, checks, places.get(url));
  }
  for await (const urls of urlsOf(db, withId)) {
    const still = new Set(await urlsIn(db, reportId, urls));
    const gone = await pageResults(
      db,
      withId,
      urls.filter((url) => !still.has(url)),
    );
    for (const page of gone.values()) addPage(tally, checksOfBoth(undefined, page), []);
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

type ChecksOfPage = ReadonlyMap<CheckKind, CheckOfBoth>;

/** Returns the checks that a page has in either report. */
function checksOfBoth(now: PageResults | undefined, before: PageResults | undefined): ChecksOfPage {
  const checks = new Map<CheckKind, CheckOfBoth>();
  for (const kind of CHECK_KINDS) {
    const both = { now: checkedPage(now?.checks.get(kind)), before: checkedPage(before?.checks.get(kind)) };
    if (both.now !== null || both.before !== null) checks.set(kind, both);
  }
  return checks;
}

function checkedPage(results: CheckResults | undefined): CheckedPage | null {
  if (results === undefined) return null;
  const issues = results.issues.map(({ fingerprint, places }) => ({ fingerprint, places: placesIn(places) }));
  return { ...results, issues, places: new Set(issues.flatMap(({ places }) => places)) };
}

/** @param earlier the packed places of the page in earlier reports */
function addPage(tally: ChangeTally, checks: ChecksOfPage, earlier: readonly Uint8Array[] = []): void {
  const places = new Set(earlier.flatMap(placesIn));
  for (const [kind, check] of checks) tally.add(kind, check, places);
}
