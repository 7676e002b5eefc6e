import { type ChangeCount, ChangeTally, placesIn } from '../answers/compare-pages.ts';
import { CHECK_KINDS } from '../checks/registry.ts';
import type { Executor } from '../store/database.ts';
import {
  nextUrls,
  type PageResults,
  pageResults,
  placesInReports,
  reportsBefore,
  urlsIn,
} from '../store/page-results.ts';

/** Pages compared at a time. */
const BATCH_PAGES = 100;
/** Reports before the previous one in which a place is looked for. */
const EARLIER_REPORTS_MAX = 10;

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
    const changed = urls.filter((url) => hasOtherPlaces(now.get(url), before.get(url)));
    const places = changed.length === 0 ? new Map() : await placesInReports(db, earlier, changed);
    for (const url of urls) {
      const known = new Set((places.get(url) ?? []).flatMap((packed: Uint8Array) => placesIn(packed)));
      const wasEarlier = (place: string): boolean => known.has(place);
      addPage(tally, now.get(url), before.get(url), wasEarlier);
    }
  }
  for await (const urls of urlsOf(db, withId)) {
    const still = new Set(await urlsIn(db, reportId, urls));
    const gone = await pageResults(
      db,
      withId,
      urls.filter((url) => !still.has(url)),
    );
    for (const page of gone.values()) addPage(tally, undefined, page, () => false);
  }
  return tally.counts();
}

async function* urlsOf(db: Executor, reportId: string): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const urls = await nextUrls(db, reportId, after, BATCH_PAGES);
    if (urls.length > 0) yield urls;
    if (urls.length < BATCH_PAGES) return;
    after = urls.at(-1) ?? '';
  }
}

function addPage(
  tally: ChangeTally,
  now: PageResults | undefined,
  before: PageResults | undefined,
  wasEarlier: (place: string) => boolean,
): void {
  for (const kind of CHECK_KINDS) {
    const checks = { now: now?.checks.get(kind) ?? null, before: before?.checks.get(kind) ?? null };
    if (checks.now !== null || checks.before !== null) tally.add(kind, { ...checks, wasEarlier });
  }
}

/** Returns whether a page has places that it did not have before. */
function hasOtherPlaces(now: PageResults | undefined, before: PageResults | undefined): boolean {
  for (const [kind, { issues }] of now?.checks ?? []) {
    const known = new Set(before?.checks.get(kind)?.issues.flatMap(({ places }) => placesIn(places)));
    if (issues.some(({ places }) => placesIn(places).some((place) => !known.has(place)))) return true;
  }
  return false;
}
