import { PRESENT_CHANGES, type PresentChange } from '../domain/change.ts';
import { slicesByWeight, slicesOf } from '../platform/slices.ts';
import type { Executor } from '../store/database.ts';
import { type ChangedRange, changedPlacesBetween, issuesToCompare } from '../store/diffs/changed-issues.ts';
import { findComparison } from '../store/diffs/comparisons.ts';
import { countOccurrences, type OccurrenceFilter, placesBetween } from '../store/issues/occurrence-list.ts';
import { type Occurrence, type PlacesOfIssue, readSinglePlaces } from '../store/issues/places.ts';
import type { ListPage, PageRequest } from '../store/listing.ts';
import type { CommonIssue } from '../store/schema.ts';
import { markPlaces } from './place-changes.ts';

/** Occurrences that are compared for a list in a cluster. On 10,000 pages, this takes one or two seconds. */
export const CHANGED_PLACES_MAX = 10_000;
/** Issues whose occurrences are compared at a time. */
const BATCH_ISSUES = 500;
/** Occurrences that are compared at a time, or all occurrences of one issue. */
const BATCH_PLACES = 20_000;

type Common = Pick<CommonIssue, 'id' | 'report_id' | 'how_many' | 'kind' | 'fingerprint'>;

/** An occurrence with its change since the previous report. */
export interface ChangedOccurrence extends Occurrence {
  /** Null if it is not compared. */
  readonly change: PresentChange | null;
}

/**
 * Returns a page of the occurrences of a common issue that have one of the changes: in the order of `PRESENT_CHANGES`, then of the pages
 * and of the occurrences on them. The comparison with the previous report stores their issues (decision 0067), so that only occurrences of
 * the page are compared.
 * @returns null if more than `CHANGED_PLACES_MAX` occurrences have to be compared, because nothing is stored about the changes of clusters
 */
export async function listChangedPlaces(
  db: Executor,
  common: Common,
  filter: OccurrenceFilter,
  wanted: readonly PresentChange[],
  page: PageRequest,
): Promise<ListPage<ChangedOccurrence> | null> {
  const comparison = await findComparison(db, common.report_id, 'previous');
  if (comparison === undefined || filter.muted === 'true') return { total: 0, rows: [] };
  const of = { comparisonId: comparison.id, commonIssueId: common.id };
  const changes = PRESENT_CHANGES.filter((change) => wanted.includes(change));
  if (!comparison.lists_issues) return compareAll(db, common, filter, changes, page);
  if (filter.cluster !== undefined)
    return compareAll(db, common, { ...filter, changed: { of, changes } }, changes, page);
  const rows: ChangedOccurrence[] = [];
  let total = 0;
  for (const change of changes) {
    const [offset, end] = [(page.number - 1) * page.size - total, page.number * page.size - total];
    const range = { offset: Math.max(offset, 0), end: Math.max(end, 0) };
    const list = await changedPlacesBetween(db, of, change, filter.url, range);
    total += list.total;
    rows.push(...(await readRanges(db, common, change, list.ranges)));
  }
  return { total, rows };
}

/** Returns the occurrences of ranges, in their order. Occurrences of issues that were replaced in the meantime are left out. */
async function readRanges(
  db: Executor,
  common: Common,
  change: PresentChange,
  ranges: readonly ChangedRange[],
): Promise<ChangedOccurrence[]> {
  const wanted: PlaceToRead[] = [];
  for (const some of slicesByWeight(ranges, ({ howMany }) => howMany, BATCH_PLACES)) {
    const issues = await issuesToCompare(
      db,
      some.map(({ issue }) => issue),
    );
    const marks = await markPlaces(db, common.report_id, common.kind, issues);
    const marksOf = new Map(issues.map(({ id }, index) => [id, marks[index] ?? []]));
    for (const { issue, first, afterLast } of some) {
      const places = (marksOf.get(issue) ?? []).flatMap((mark, place) => (mark.change === change ? place : []));
      wanted.push(...places.slice(first, afterLast).map((place) => ({ issue, place, change })));
    }
  }
  return readInOrder(db, wanted);
}

interface PlaceToRead {
  readonly issue: number;
  /** Its position in the issue, from 0. */
  readonly place: number;
  readonly change: PresentChange;
}

async function readInOrder(db: Executor, wanted: readonly PlaceToRead[]): Promise<ChangedOccurrence[]> {
  const found = await readSinglePlaces(db, wanted);
  const byPlace = new Map(found.map((row) => [`${row.issue_id}-${row.place}`, row]));
  return wanted.flatMap(({ issue, place, change }) => {
    const row = byPlace.get(`${issue}-${place}`);
    return row === undefined ? [] : [{ ...row, change }];
  });
}

/** Returns a page of the occurrences that have one of the changes by comparing all occurrences of the filter. */
async function compareAll(
  db: Executor,
  common: Common,
  filter: OccurrenceFilter,
  changes: readonly PresentChange[],
  { number, size }: PageRequest,
): Promise<ListPage<ChangedOccurrence> | null> {
  const compared = await countOccurrences(db, common, filter);
  if (compared > CHANGED_PLACES_MAX) return null;
  const found: PlaceToRead[] = [];
  const issues = await placesBetween(db, common, filter, { offset: 0, end: compared, total: compared });
  for (const slice of slicesOf(issues, BATCH_ISSUES)) {
    const changesFound = await changesOfPlaces(db, common, slice);
    const places = slice.flatMap((issue) => issue.places.map(({ place }) => ({ issue: issue.issue_id, place })));
    found.push(
      ...places.flatMap((each, index) => {
        const change = changesFound[index];
        return change == null ? [] : { ...each, change };
      }),
    );
  }
  const all = changes.flatMap((wanted) => found.filter(({ change }) => change === wanted));
  return { total: all.length, rows: await readInOrder(db, all.slice((number - 1) * size, number * size)) };
}

/** Returns the changes of occurrences since the previous report, in their order; null for occurrences that are not compared. */
export async function changesOfPlaces(
  db: Executor,
  common: Common,
  issues: readonly PlacesOfIssue[],
): Promise<readonly (PresentChange | null)[]> {
  const placed = issues.map(({ url, muted, places }) => ({
    pageUrl: url,
    fingerprint: common.fingerprint,
    fingerprints: Buffer.from(places.map(({ fingerprint }) => fingerprint).join(''), 'hex'),
    new_places: null,
    muted,
  }));
  const marks = await markPlaces(db, common.report_id, common.kind, placed);
  return issues.flatMap(({ places }, issue) => places.map((_, index) => marks[issue]?.[index]?.change ?? null));
}
