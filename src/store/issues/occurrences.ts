import { type RawBuilder, sql } from 'kysely';
import type { RecheckMark } from '../../domain/change.ts';
import type { Json } from '../../domain/check.ts';
import { slicesOf } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { decisionOf, type ShownDecision } from '../decisions/issue-decision.ts';
import { occurrencesAt } from './packed-occurrences.ts';

/** An occurrence of an issue. */
export interface Occurrence {
  readonly issue_id: number;
  /** The position of the occurrence in its issue, from 0. */
  readonly position: number;
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
  readonly decision: ShownDecision | null;
  /** The occurrence as the engine reported it; null if it is not stored. */
  readonly found: Json | null;
}

/** Some occurrences of an issue, in ascending order. */
export interface OccurrencesOfIssue
  extends Pick<Occurrence, 'issue_id' | 'web_page_id' | 'url' | 'muted' | 'decision'> {
  readonly occurrences: readonly Pick<Occurrence, 'position' | 'cluster' | 'fingerprint' | 'recheck'>[];
}

/**
 * Builds the expression for `occurrences` of an issue that the statement calls `i`.
 * @param positions selects their positions as `position`
 */
export function occurrencesOfIssue(positions: RawBuilder<unknown>): RawBuilder<OccurrencesOfIssue['occurrences']> {
  return sql`(
    SELECT json_agg(json_build_object('position', position,
      'cluster', encode(substr(i.clusters, 8 * position + 1, 8), 'hex'),
      'fingerprint', encode(substr(i.fingerprints, 16 * position + 1, 16), 'hex'),
      'recheck', CASE WHEN NOT i.muted AND position < 8 * octet_length(i.new_occurrences)
        THEN (ARRAY['still', 'new'])[get_bit(i.new_occurrences, position) + 1] END) ORDER BY position)
    FROM (${positions}) positions)`;
}

/** Reads single occurrences. Occurrences of issues that have been replaced in the meantime are left out. */
export async function readSingleOccurrences(
  db: Executor,
  wanted: readonly { readonly issue: number; readonly position: number }[],
): Promise<Occurrence[]> {
  if (wanted.length === 0) return [];
  const [issues, positions] = [wanted.map(({ issue }) => issue), wanted.map(({ position }) => position)];
  const { rows } = await sql<OccurrencesOfIssue>`
    SELECT i.id AS issue_id, i.web_page_id, p.url, i.muted, ${decisionOf('i')} AS decision, ${occurrencesOfIssue(sql`
      SELECT DISTINCT position FROM unnest(${issues}::bigint[], ${positions}::integer[]) AS wanted (issue, position)
      WHERE issue = i.id`)} AS occurrences
    FROM issues i JOIN web_pages p ON p.id = i.web_page_id WHERE i.id = ANY(${issues})`.execute(db);
  return readOccurrences(db, rows);
}

/** Issues whose occurrences are in memory at a time. The largest issues take several megabytes, compressed. */
const ISSUES_AT_A_TIME = 20;

/** Reads occurrences of several issues. Issues that have been replaced in the meantime are left out. */
export async function readOccurrences(db: Executor, issues: readonly OccurrencesOfIssue[]): Promise<Occurrence[]> {
  const occurrences: Occurrence[] = [];
  for (const slice of slicesOf(issues, ISSUES_AT_A_TIME)) {
    const ids = slice.map(({ issue_id: id }) => id);
    const rows = await db.selectFrom('issues').select(['id', 'occurrences']).where('id', 'in', ids).execute();
    const packed = new Map(rows.map((row) => [row.id, row.occurrences]));
    for (const { occurrences: shown, ...issue } of slice) {
      const ofIssue = packed.get(issue.issue_id);
      if (ofIssue === undefined) continue;
      const positions = shown.map(({ position }) => position);
      const found = occurrencesAt(ofIssue, positions);
      for (const [index, occurrence] of shown.entries()) {
        occurrences.push({ ...issue, ...occurrence, found: found[index] ?? null });
      }
    }
  }
  return occurrences;
}
