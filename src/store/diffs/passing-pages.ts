import { type RawBuilder, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { isForeignKeyViolation } from '../../platform/database-errors.ts';
import { type Executor, keep } from '../database.ts';
import { checksAt, issuesAt, pagesAt, type ResultsAt } from '../reports/results-at-end.ts';
import { keptPages, type PagesToCount, sorted } from './page-changes.ts';
import { matchedUrlOf } from './page-match.ts';

/** The first rows of a list, and the total number of rows. */
export interface FirstOf<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** A page that passes in one of two reports and has errors in the other one. */
export interface PassingChange {
  readonly id: string;
  readonly url: string;
  readonly title: string | null;
  /** Errors in the report in which it does not pass. */
  readonly errors: number;
}

/** Pages that pass now and had errors before, and the reverse. Lists of pages that have changed do not show them. */
const PASSING_CHANGES = ['passing', 'failing'] as const;
type PassingChangeName = (typeof PASSING_CHANGES)[number];

/** Finds the pages that pass in only one of the reports and keeps them with the diff. */
export async function keepPassingPages(db: Executor, of: PagesToCount): Promise<void> {
  await sql`
    INSERT INTO changed_pages (diff_id, kinds, change, pages, num_pages)
    SELECT ${of.id}, ${sorted(of.kinds)}, change, pages, num_pages FROM (${foundPages(of)}) found
    ON CONFLICT DO NOTHING`.execute(db);
}

/**
 * Builds the query for the lists of these pages. Stores the lists first unless they are already stored, as they are for all kinds
 * together. While the database accepts no changes, the query finds the pages itself.
 * @returns null if the diff has been replaced in the meantime
 */
export async function passingLists(db: Executor, of: PagesToCount): Promise<RawBuilder<unknown> | null> {
  const kept = sql`SELECT * FROM (${keptPages(of)}) kept WHERE change = ANY(${[...PASSING_CHANGES]})`;
  const { rows } = await sql`${kept} LIMIT 1`.execute(db);
  if (rows.length > 0) return kept;
  try {
    return (await keep(keepPassingPages(db, of))) ? kept : foundPages(of);
  } catch (error) {
    if (isForeignKeyViolation(error)) return null;
    throw error;
  }
}

/**
 * Returns the first pages of a list. Pages that were deleted after the diff are left out.
 * @param lists from `passingLists`
 */
export async function firstPassing(
  db: Executor,
  lists: RawBuilder<unknown>,
  { at, atBefore, withId, match, kinds }: PagesToCount,
  change: PassingChangeName,
  max: number,
): Promise<FirstOf<PassingChange>> {
  const errors = change === 'passing' ? errorsOf('o', atBefore, kinds) : errorsOf('p', at, kinds);
  const { rows: counts } = await sql<{ num_pages: number }>`
    SELECT num_pages FROM (${lists}) lists WHERE change = ${change}`.execute(db);
  const { rows } = await sql<PassingChange>`
    SELECT p.id, p.url, p.title, failed.errors
    FROM (SELECT pages[1 : ${max}::integer] AS pages FROM (${lists}) lists WHERE change = ${change}) k
      CROSS JOIN LATERAL unnest(k.pages) WITH ORDINALITY AS u (id, n)
      JOIN ${pagesAt(at)} p ON p.id = u.id
      JOIN ${pagesAt(atBefore)} o ON o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')}
      CROSS JOIN LATERAL (${errors}) failed
    ORDER BY u.n`.execute(db);
  return { total: counts[0]?.num_pages ?? 0, rows };
}

/**
 * Builds the query that finds the pages of both reports that pass in only one of them: a row for each change, with the ids of the
 * `pages`, the most errors first, and `num_pages`. Pages that could not be checked are in neither list.
 */
function foundPages({ reportId, withId, at, atBefore, match, kinds }: PagesToCount): RawBuilder<unknown> {
  return sql`
    WITH pages AS (
      SELECT p.id, p.url, n.errors + b.errors AS errors, CASE WHEN n.errors = 0 THEN 'passing' ELSE 'failing' END AS change
      FROM ${pagesAt(at)} p
        JOIN ${pagesAt(atBefore)} o ON o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')}
        CROSS JOIN LATERAL (${errorsOf('p', at, kinds)}) n
        CROSS JOIN LATERAL (${errorsOf('o', atBefore, kinds)}) b
      WHERE p.report_id = ${reportId}
        AND (n.errors = 0 AND n.is_checked AND b.errors > 0 OR b.errors = 0 AND b.is_checked AND n.errors > 0)
    )
    SELECT name AS change, coalesce(array_agg(p.id ORDER BY p.errors DESC, p.url) FILTER (WHERE p.id IS NOT NULL), '{}') AS pages,
      count(p.id) AS num_pages
    FROM unnest(${[...PASSING_CHANGES]}::text[]) AS name LEFT JOIN pages p ON p.change = name GROUP BY name`;
}

/** Builds the query for the errors of some checks of a page, and whether all have run. @param page an alias of the page */
function errorsOf(page: string, at: ResultsAt, kinds: readonly CheckKind[]): RawBuilder<unknown> {
  const errors =
    at === 'now'
      ? sql`c.errors`
      : sql`(SELECT coalesce(sum(how_many), 0) FROM ${issuesAt(at)} i
          WHERE i.web_page_id = c.web_page_id AND i.kind = c.kind AND i.issue_type = 'error' AND NOT i.muted)`;
  return sql`SELECT sum(errors)::bigint AS errors, bool_and(status = 'checked') AS is_checked FROM (
    SELECT c.status, ${errors} AS errors FROM ${checksAt(at)} c
    WHERE c.web_page_id = ${sql.ref(`${page}.id`)} AND c.kind = ANY(${[...kinds]})) checks`;
}
