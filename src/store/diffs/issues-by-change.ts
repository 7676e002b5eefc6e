import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PresentChange } from '../../../packages/client/changes.ts';
import type { ChangedIssues } from '../../issues/changed-issues.ts';
import { slicesByWeight } from '../../platform/slices.ts';
import type { Executor } from '../database.ts';
import { pageUrlContains } from '../pages/page-url.ts';
import type { Issue } from '../schema.ts';

/** The issues in which diffs found occurrences with each change, for lists of occurrences. */

/** Issues in one statement, unless a single list has more. */
const BATCH_ISSUES = 20_000;

/** Saves the result of a diff. @param lists null if there are too many issues */
export async function saveChangedIssues(
  db: Executor,
  diffId: number,
  lists: readonly ChangedIssues[] | null,
): Promise<void> {
  await db
    .updateTable('diffs')
    .set({ lists_issues: lists !== null })
    .where('id', '=', diffId)
    .execute();
  for (const some of slicesByWeight(lists ?? [], ({ issues }) => issues.length, BATCH_ISSUES)) {
    const column = (of: (list: ChangedIssues) => readonly (number | string)[]) => `{${some.flatMap(of).join()}}`;
    await sql`
      INSERT INTO changed_issues (diff_id, common_issue_id, change, issues, ends, how_many)
      SELECT ${diffId}, common_issue, change, array_agg(issue ORDER BY page, issue), array_agg(until ORDER BY page, issue), max(until)
      FROM (
        SELECT *, (sum(occurrences) OVER (PARTITION BY common_issue, change ORDER BY page, issue))::bigint AS until
        FROM unnest(${column(({ commonIssue, issues }) => issues.map(() => commonIssue))}::bigint[],
          ${column(({ change, issues }) => issues.map(() => change))}::text[], ${column(({ pages }) => pages)}::bigint[],
          ${column(({ issues }) => issues)}::bigint[], ${column(({ occurrences }) => occurrences)}::bigint[])
          AS found (common_issue, change, page, issue, occurrences)
      ) numbered GROUP BY common_issue, change`.execute(db);
  }
}

/** The result of a diff for a common issue. */
export interface ChangesOfIssue {
  readonly diffId: number;
  readonly commonIssueId: number;
}

function isOf({ diffId, commonIssueId }: ChangesOfIssue, changes: readonly PresentChange[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`k.diff_id = ${diffId} AND k.common_issue_id = ${commonIssueId} AND k.change = ANY(${changes})`;
}

/** Builds a query for the ids of the issues that have occurrences with one of the changes. */
export function changedIssues(of: ChangesOfIssue, changes: readonly PresentChange[]): RawBuilder<unknown> {
  return sql`SELECT unnest(k.issues) FROM changed_issues k WHERE ${isOf(of, changes)}`;
}

/** Some of the occurrences of an issue that have a change. */
export interface ChangedRange {
  readonly issue: number;
  /** Counted from 0, among the occurrences with the change. */
  readonly first: number;
  readonly afterLast: number;
  /** All occurrences of the issue. */
  readonly howMany: number;
}

/**
 * Returns the positions of the occurrences with a change, from `offset` to before `end`, and their total number.
 * @param url part of the URLs of their pages, or of the URLs that journeys reached; all pages if it is undefined
 */
export async function changedOccurrencesBetween(
  db: Executor,
  of: ChangesOfIssue,
  change: PresentChange,
  url: string | undefined,
  { offset, end }: { readonly offset: number; readonly end: number },
): Promise<{ readonly total: number; readonly ranges: readonly ChangedRange[] }> {
  const kept = sql`SELECT k.* FROM changed_issues k WHERE ${isOf(of, [change])}`;
  const numbered = url === undefined ? keptSlice(kept, offset, end) : onPages(kept, of.commonIssueId, url);
  const { rows } = await sql<{ total: number; ranges: readonly ChangedRange[] }>`
    WITH numbered AS MATERIALIZED (${numbered})
    SELECT ${url === undefined ? sql`(SELECT how_many FROM (${kept}) list)` : sql`(SELECT max(until)::bigint FROM numbered)`} AS total,
      (SELECT json_agg(json_build_object('issue', i.id, 'first', greatest(${offset} - s.start, 0),
          'afterLast', least(${end}, s.until) - s.start, 'howMany', i.how_many) ORDER BY s.n)
        FROM numbered s JOIN issues i ON i.id = s.id WHERE s.start < ${end} AND s.until > ${offset}) AS ranges`.execute(
    db,
  );
  return { total: rows[0]?.total ?? 0, ranges: rows[0]?.ranges ?? [] };
}

/**
 * Builds a query for the issues of a list from an offset: `id`, `n`, and the start and end of their occurrences.
 * @param kept selects `issues`, and the sorted `ends` of their occurrences, which `width_bucket` searches for the number of
 *   issues that end before the offset. Each issue has at least one occurrence, so no more issues than occurrences are needed.
 */
export function keptSlice(kept: RawBuilder<unknown>, offset: number, end: number): RawBuilder<unknown> {
  return sql`
    SELECT u.id, u.n, u.until, coalesce(lag(u.until) OVER (ORDER BY u.n), start) AS start
    FROM (
      SELECT coalesce(ends[before], 0) AS start, issues[before + 1 : before + ${end - offset}::integer] AS issues,
        ends[before + 1 : before + ${end - offset}::integer] AS ends
      FROM (SELECT *, width_bucket(${offset}::bigint, ends) AS before FROM (${kept}) list OFFSET 0) searched
    ) slice, unnest(slice.issues, slice.ends) WITH ORDINALITY AS u (id, until, n)`;
}

/** Builds a query for the issues on pages whose URL contains `url`. */
function onPages(kept: RawBuilder<unknown>, commonIssueId: number, url: string): RawBuilder<unknown> {
  const reportId = sql`(SELECT report_id FROM common_issues WHERE id = ${commonIssueId})`;
  return sql`
    SELECT f.id, f.n, sum(f.shown) OVER (ORDER BY f.n) AS until, sum(f.shown) OVER (ORDER BY f.n) - f.shown AS start
    FROM (
      SELECT u.id, u.n, u.until - coalesce(lag(u.until) OVER (ORDER BY u.n), 0) AS shown
      FROM (${kept}) list, unnest(list.issues, list.ends) WITH ORDINALITY AS u (id, until, n)
    ) f JOIN issues i ON i.id = f.id AND i.common_issue_id = ${commonIssueId} JOIN web_pages p ON p.id = i.web_page_id
    WHERE ${pageUrlContains('p', reportId, url)}`;
}

/** An issue with the data for comparing its occurrences. */
interface IssueToCompare extends Pick<Issue, 'id' | 'fingerprints' | 'new_occurrences' | 'muted'> {
  readonly pageUrl: string;
  /** Of the issue type. */
  readonly fingerprint: Buffer;
}

/** Reads issues without their occurrences. Issues that have been replaced in the meantime are left out. */
export async function issuesToCompare(db: Executor, ids: readonly number[]): Promise<IssueToCompare[]> {
  const { rows } = await sql<IssueToCompare>`
    SELECT i.id, p.url AS "pageUrl", k.fingerprint, i.fingerprints, i.new_occurrences, i.muted
    FROM issues i JOIN common_issues k ON k.id = i.common_issue_id JOIN web_pages p ON p.id = i.web_page_id
    WHERE i.id = ANY(${ids})`.execute(db);
  return rows;
}
