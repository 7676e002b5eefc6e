import type { PresentChange } from '../domain/change.ts';
import { slicesOf } from '../platform/slices.ts';
import { findComparison } from '../store/comparisons.ts';
import type { Executor } from '../store/database.ts';
import type { ListPage, PageRequest } from '../store/listing.ts';
import { countOccurrences, type OccurrenceFilter, placesBetween } from '../store/occurrence-list.ts';
import { type Occurrence, type PlacesOfIssue, readPlaces } from '../store/places.ts';
import type { CommonIssue } from '../store/schema.ts';
import { markPlaces } from './place-changes.ts';

/** Places that are compared for one list. On 10,000 pages, this takes one or two seconds. */
export const CHANGED_PLACES_MAX = 10_000;
/** Issues whose places are compared at a time. */
const BATCH_ISSUES = 500;

type Common = Pick<CommonIssue, 'id' | 'report_id' | 'how_many' | 'kind' | 'fingerprint'>;

/**
 * Returns a page of the places of a common issue that have one of the changes, in the order of the pages and of the places on them.
 * Changes are computed when they are read (decision 0054), so the whole list is compared. Unless places that persist are wanted,
 * issues with the same places on their page as before are not.
 * @returns null if more than `CHANGED_PLACES_MAX` places have to be compared
 */
export async function listChangedPlaces(
  db: Executor,
  common: Common,
  filter: OccurrenceFilter,
  wanted: readonly PresentChange[],
  { number, size }: PageRequest,
): Promise<ListPage<Occurrence> | null> {
  const comparison = await findComparison(db, common.report_id, 'previous');
  if (comparison === undefined) return { total: 0, rows: [] };
  const changed = wanted.includes('persisting') ? filter : { ...filter, otherThanIn: comparison.with_id };
  const compared = await countOccurrences(db, common, changed);
  if (compared > CHANGED_PLACES_MAX) return null;
  const issues = await placesBetween(db, common, changed, 0, compared);
  const found: { readonly issue: PlacesOfIssue; readonly place: PlacesOfIssue['places'][number] }[] = [];
  for (const slice of slicesOf(issues, BATCH_ISSUES)) {
    const changes = await changesOfPlaces(db, common, slice);
    const places = slice.flatMap((issue) => issue.places.map((place) => ({ issue, place })));
    for (const [index, each] of places.entries()) {
      const change = changes[index] ?? null;
      if (change !== null && wanted.includes(change)) found.push(each);
    }
  }
  const start = (number - 1) * size;
  const shown = Map.groupBy(found.slice(start, start + size), ({ issue }) => issue);
  const rows = [...shown].map(([issue, each]) => ({ ...issue, places: each.map(({ place }) => place) }));
  return { total: found.length, rows: await readPlaces(db, rows) };
}

/** Returns what became of places since the previous report, in their order; null for those that are not compared. */
export async function changesOfPlaces(
  db: Executor,
  common: Common,
  issues: readonly PlacesOfIssue[],
): Promise<readonly (PresentChange | null)[]> {
  const placed = issues.map(({ url, muted, places }) => ({
    pageUrl: url,
    fingerprint: common.fingerprint,
    fingerprints: Buffer.from(places.map(({ fingerprint }) => fingerprint ?? '').join(''), 'hex'),
    new_places: null,
    muted,
  }));
  const marks = await markPlaces(db, common.report_id, common.kind, placed);
  return issues.flatMap(({ places }, issue) => places.map((_, index) => marks[issue]?.[index]?.change ?? null));
}
