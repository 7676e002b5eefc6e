import { type CheckedPage, COMPARED_PLACES_MAX, changeOf, isCrowded, placesIn } from '../answers/compare-pages.ts';
import { recheckMark } from '../answers/compare-recheck.ts';
import { followEdits } from '../answers/follow-edits.ts';
import { FINGERPRINT_BYTES } from '../answers/identity.ts';
import type { PlaceMarks } from '../checks/place-marks.ts';
import type { PresentChange } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import { findComparison } from '../store/comparisons.ts';
import type { Executor } from '../store/database.ts';
import type { PageIssue } from '../store/issues.ts';
import {
  checkedPages,
  type IssueKinds,
  type PageResults,
  pageResults,
  placesInReports,
} from '../store/page-results.ts';
import { reportsBefore } from '../store/sites.ts';
import { checkedPage, EARLIER_REPORTS_MAX } from './compare-reports.ts';

/** Places of an issue on a page: all of them, or those that are shown. */
export interface PlacedIssue {
  readonly pageUrl: string;
  /** Fingerprint of the kind of issue; null for results of versions before. */
  readonly fingerprint: Buffer | null;
  /** Fingerprints of the places; null for results of versions before. */
  readonly fingerprints: Uint8Array | null;
  /** As `newPlaces` packs it; null if the last re-check was not compared. */
  readonly new_places: Uint8Array | null;
  readonly muted: boolean;
}

/**
 * Marks the places of issues of one kind of check on any pages of a report, with the changes that its comparison with the previous
 * report counts (decision 0054) and with what the last re-check found (0059). Reads only what these pages had of these kinds of issue in the reports before.
 * @returns the marks of each issue, in the order of its places; none for results of versions before
 */
export async function markPlaces(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  issues: readonly PlacedIssue[],
): Promise<PlaceMarks[][]> {
  const placed = issues.map((issue) => ({ ...issue, places: placesIn(issue.fingerprints ?? NO_BYTES) }));
  const compared = await comparedPages(db, reportId, kind, placed);
  return placed.map(({ pageUrl, places, muted, new_places: newPlaces }) => {
    const page = muted ? undefined : compared.get(pageUrl);
    return places.map((fingerprint, at) => ({
      fingerprint,
      change: page === undefined ? null : changeOf(fingerprint, page.before, page.earlier),
      recheck: muted ? null : recheckMark(newPlaces, at),
    }));
  });
}

/** Marks the places of all issues of one kind of check on a page. @returns the marks by the id of the issue */
export async function markIssues(
  db: Executor,
  kind: CheckKind,
  page: { readonly report_id: string; readonly url: string },
  issues: readonly PageIssue[],
): Promise<ReadonlyMap<number, readonly PlaceMarks[]>> {
  const placed = issues.map((issue) => ({ ...issue, fingerprints: neededFingerprints(issue), pageUrl: page.url }));
  const marks = await markPlaces(db, page.report_id, kind, placed);
  return new Map(issues.map(({ id }, index) => [id, marks[index] ?? []]));
}

/** Returns the fingerprints of all places; of those that are shown if there are too many to compare. */
function neededFingerprints({ fingerprints, how_many: howMany, occurrences }: PageIssue): Uint8Array | null {
  if (howMany <= COMPARED_PLACES_MAX || !Array.isArray(occurrences)) return fingerprints;
  return fingerprints?.subarray(0, occurrences.length * FINGERPRINT_BYTES) ?? null;
}

const NO_BYTES = new Uint8Array();

/** Returns what became of an issue on its page: it is new if all its places are. Null if they are not compared. */
export function changeOfIssue(marks: readonly PlaceMarks[]): PresentChange | null {
  const changes = new Set(marks.map(({ change }) => change));
  return (['persisting', 'regressed', 'new'] as const).find((change) => changes.has(change)) ?? null;
}

/** What a page had before. */
interface ComparedPage {
  /** Its places in the previous report; null if it was not checked there. */
  readonly before: ReadonlySet<string> | null;
  /** Its places in the reports before that. */
  readonly earlier: ReadonlySet<string>;
}

/** Returns the pages whose check is compared with the previous report, by URL. */
async function comparedPages(
  db: Executor,
  reportId: string,
  kind: CheckKind,
  issues: readonly (PlacedIssue & { readonly places: readonly string[] })[],
): Promise<Map<string, ComparedPage>> {
  const comparison = issues.length === 0 ? undefined : await findComparison(db, reportId, 'previous');
  if (comparison === undefined) return new Map();
  const { with_id: withId } = comparison;
  const only: IssueKinds = { kind, fingerprints: issues.flatMap(({ fingerprint }) => fingerprint ?? []) };
  const urls = new Set(issues.map(({ pageUrl }) => pageUrl));
  const now = await checkedPages(db, reportId, [...urls], kind);
  const results = await pageResults(db, withId, [...now.keys()], only);
  for (const [url, { checks }] of now) {
    const check = checks.get(kind);
    if (check === undefined || isCrowded(check, results.get(url)?.checks.get(kind))) now.delete(url);
  }
  const before = checksOf(results, kind);
  const changed = issues.flatMap(({ pageUrl: url, places }) =>
    now.has(url) && places.some((place) => !before.get(url)?.places.has(place)) ? [url] : [],
  );
  // All places of these kinds: which of them were edited shows in what is left over of both reports.
  const whole = changed.length === 0 ? new Map() : await pageResults(db, reportId, changed, only);
  for (const [url, page] of checksOf(whole, kind)) {
    const earlier = before.get(url);
    if (earlier !== undefined) before.set(url, followEdits(page, earlier));
  }
  const reports = changed.length === 0 ? [] : await reportsBefore(db, withId, EARLIER_REPORTS_MAX);
  const earlier = await placesInReports(db, reports, changed, only);
  const pages = [...now.keys()].map((url): [string, ComparedPage] => {
    const places = (earlier.get(url) ?? []).flatMap(placesIn);
    return [url, { before: before.get(url)?.places ?? null, earlier: new Set(places) }];
  });
  return new Map(pages);
}

/** Returns one kind of check of pages, with places in hexadecimal. */
function checksOf(results: ReadonlyMap<string, PageResults>, kind: CheckKind): Map<string, CheckedPage> {
  const pages = new Map<string, CheckedPage>();
  for (const [url, { checks }] of results) {
    const check = checks.get(kind);
    if (check !== undefined) pages.set(url, checkedPage(check, placesIn));
  }
  return pages;
}
