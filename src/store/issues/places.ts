import { type RawBuilder, sql } from 'kysely';
import type { RecheckMark } from '../../domain/change.ts';
import type { Json } from '../../domain/check.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { placesAt } from './packed-places.ts';

/** An occurrence of an issue. */
export interface Occurrence {
  readonly issue_id: number;
  /** The position of the occurrence in its issue, from 0. */
  readonly place: number;
  readonly web_page_id: number;
  /** Of the web page. */
  readonly url: string;
  readonly muted: boolean;
  /** 8 bytes in hexadecimal. */
  readonly cluster: string;
  /** Identifies the occurrence across reports: 16 bytes in hexadecimal. */
  readonly fingerprint: string;
  /** The result of the last re-check of the page; null if it was not compared, and for muted issues. */
  readonly recheck: RecheckMark | null;
  /** The occurrence as the engine reported it; null if it is not stored. */
  readonly found: Json | null;
}

/** Some occurrences of an issue, in ascending order. */
export interface PlacesOfIssue extends Pick<Occurrence, 'issue_id' | 'web_page_id' | 'url' | 'muted'> {
  readonly places: readonly Pick<Occurrence, 'place' | 'cluster' | 'fingerprint' | 'recheck'>[];
}

/**
 * Builds the expression for `places` of an issue that the statement calls `i`.
 * @param positions selects their positions as `place`
 */
export function placesOfIssue(positions: RawBuilder<unknown>): RawBuilder<PlacesOfIssue['places']> {
  return sql`(
    SELECT json_agg(json_build_object('place', place,
      'cluster', encode(substr(i.clusters, 8 * place + 1, 8), 'hex'),
      'fingerprint', encode(substr(i.fingerprints, 16 * place + 1, 16), 'hex'),
      'recheck', CASE WHEN NOT i.muted AND place < 8 * octet_length(i.new_places)
        THEN (ARRAY['still', 'new'])[get_bit(i.new_places, place) + 1] END) ORDER BY place)
    FROM (${positions}) positions)`;
}

/** Reads single occurrences. Occurrences of issues that have been replaced in the meantime are left out. */
export async function readSinglePlaces(
  db: Executor,
  wanted: readonly { readonly issue: number; readonly place: number }[],
): Promise<Occurrence[]> {
  if (wanted.length === 0) return [];
  const [issues, places] = [wanted.map(({ issue }) => issue), wanted.map(({ place }) => place)];
  const { rows } = await sql<PlacesOfIssue>`
    SELECT i.id AS issue_id, i.web_page_id, p.url, i.muted, ${placesOfIssue(sql`
      SELECT DISTINCT place FROM unnest(${issues}::bigint[], ${places}::integer[]) AS wanted (issue, place)
      WHERE issue = i.id`)} AS places
    FROM issues i JOIN web_pages p ON p.id = i.web_page_id WHERE i.id = ANY(${issues})`.execute(db);
  return readPlaces(db, rows);
}

/** Issues whose occurrences are in memory at a time. The largest issues have several megabytes, compressed. */
const ISSUES_AT_A_TIME = 20;

/** Reads occurrences of several issues. Issues that have been replaced in the meantime are left out. */
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
      const found = placesAt(ofIssue, positions);
      for (const [index, place] of places.entries()) {
        occurrences.push({ ...issue, ...place, found: found[index] ?? null });
      }
    }
  }
  return occurrences;
}
