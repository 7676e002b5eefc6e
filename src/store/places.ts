import type { Json } from '../domain/check.ts';
import { slicesOf } from '../platform/slices.ts';
import type { Executor } from './database.ts';
import { placesAt } from './packed-places.ts';

/** A place of an issue. */
export interface Occurrence {
  readonly issue_id: number;
  /** The position of the place in its issue, from 0. */
  readonly place: number;
  readonly web_page_id: number;
  /** Of the web page. */
  readonly url: string;
  /** 8 bytes in hexadecimal; null for results of versions before. */
  readonly cluster: string | null;
  /** The place as the engine reported it; null if it is not kept. */
  readonly found: Json | null;
}

/** Some places of an issue, in ascending order. */
export interface PlacesOfIssue extends Pick<Occurrence, 'issue_id' | 'web_page_id' | 'url'> {
  readonly places: readonly Pick<Occurrence, 'place' | 'cluster'>[];
}

/** Issues whose places are in memory at a time. The largest ones have some megabytes, compressed. */
const ISSUES_AT_A_TIME = 20;

/** Reads places of several issues. An issue that has been replaced in the meantime is left out. */
export async function readPlaces(db: Executor, issues: readonly PlacesOfIssue[]): Promise<Occurrence[]> {
  const occurrences: Occurrence[] = [];
  for (const slice of slicesOf(issues, ISSUES_AT_A_TIME)) {
    const ids = slice.map(({ issue_id: id }) => id);
    const rows = await db.selectFrom('issues').select(['id', 'occurrences']).where('id', 'in', ids).execute();
    const packed = new Map(rows.map((row) => [row.id, row.occurrences]));
    for (const { places, ...issue } of slice) {
      const ofIssue = packed.get(issue.issue_id);
      if (ofIssue === undefined) continue;
      const positions = places.map(({ place }) => place);
      const found = await placesAt(ofIssue, positions);
      for (const [index, place] of places.entries()) {
        occurrences.push({ ...issue, ...place, found: found[index] ?? null });
      }
    }
  }
  return occurrences;
}
