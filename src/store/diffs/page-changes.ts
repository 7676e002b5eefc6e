import { type RawBuilder, sql } from 'kysely';
import { noneOf } from '../../domain/amounts.ts';
import { PAGE_CHANGES, type PageChangeName } from '../../domain/change.ts';
import type { CheckKind } from '../../domain/check.ts';
import type { Failure, FailureCode } from '../../domain/failures/failure.ts';
import { isForeignKeyViolation } from '../../platform/database-errors.ts';
import { type Executor, keep } from '../database.ts';
import type { ListPage, PageRequest } from '../listing.ts';
import { checksAt, pagesAt, type ResultsAt } from '../reports/results-at-end.ts';
import { BY_URL, matchedUrlOf, type PageMatch } from './page-match.ts';

/** A page that has broken or recovered since an earlier report, or that only one of the two reports has. */
export interface PageChange {
  readonly id: number;
  readonly report_id: string;
  readonly url: string;
  readonly title: string | null;
  /** In this report; in the earlier report for a removed page. */
  readonly http_status: number | null;
  /** In the earlier report; null for a page that it does not have. */
  readonly http_status_before: number | null;
  readonly change: PageChangeName;
  /** Why a broken or added page could not be checked. */
  readonly error: Failure | null;
  /** Whether the other report lacks the page because it was deleted there. */
  readonly deleted: boolean;
  /** Whether an added page exists in a report before the earlier one. */
  readonly found_again: boolean;
}

/** Failures of checks that do not depend on the page. */
const NOT_OF_PAGE = [
  'validator_unavailable',
  'browser_unavailable',
  'device_unknown',
  'check_broke_off',
  'check_not_saved',
  'credits_over_for_check',
  'report_stopped',
  'crawl_broke_off',
  'access_unreadable',
] as const satisfies readonly FailureCode[];

/** A page in a query: its alias, and which results of it to read. */
type AliasOfPage = readonly [alias: string, at: ResultsAt];

/** Builds a query for the failure of a check of the page `now` that ran on the page `before`. */
function failure(
  [now, at]: AliasOfPage,
  [before, atBefore]: AliasOfPage,
  kinds: readonly CheckKind[] | null,
): RawBuilder<Failure | null> {
  const ofKinds = kinds === null ? sql`` : sql`AND n.kind = ANY(${[...kinds]})`;
  return sql<Failure | null>`(
    SELECT n.error FROM ${checksAt(at)} n JOIN ${checksAt(atBefore)} b ON b.kind = n.kind AND b.web_page_id = ${sql.ref(`${before}.id`)}
    WHERE n.web_page_id = ${sql.ref(`${now}.id`)} AND n.status = 'failed' AND b.status = 'checked'
      AND NOT coalesce(n.error->>'code' = ANY(${[...NOT_OF_PAGE]}), false) ${ofKinds}
    ORDER BY n.kind LIMIT 1)`;
}

/** Builds a query for the failure of any check of the page `p`. */
function anyFailure(kinds: readonly CheckKind[], at: ResultsAt): RawBuilder<Failure | null> {
  return sql<Failure | null>`(
    SELECT error FROM ${checksAt(at)} c WHERE web_page_id = p.id AND status = 'failed' AND kind = ANY(${[...kinds]})
    ORDER BY kind LIMIT 1)`;
}

/** Builds a condition that a URL was deleted from a report. */
function isDeletedFrom(reportId: string, url: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (
    SELECT FROM excluded_urls e WHERE e.report_id = ${reportId} AND e.url = ${url} AND e.reason = 'deleted')`;
}

/** Two reports whose pages are compared. */
interface ReportsOfPages {
  readonly reportId: string | RawBuilder<unknown>;
  readonly withId: string | RawBuilder<unknown>;
  /** Which results of each report to read. */
  readonly at: ResultsAt;
  readonly atBefore: ResultsAt;
  /** How pages of the two reports are matched. */
  readonly match: PageMatch;
}

/** Builds a query for the pages of both reports that have broken or recovered. */
function changedPages(
  { reportId, withId, at, atBefore, match }: ReportsOfPages,
  kinds: readonly CheckKind[] | null,
): RawBuilder<object> {
  const [now, before] = [
    ['p', at],
    ['o', atBefore],
  ] as const;
  return sql<object>`
    SELECT p.id, p.report_id, p.url, p.title, p.http_status, o.http_status AS http_status_before,
      CASE WHEN failed.now IS NULL THEN 'recovered' ELSE 'broken' END AS change, failed.now AS error
    FROM ${pagesAt(at)} p JOIN ${pagesAt(atBefore)} o ON o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')}
      CROSS JOIN LATERAL (
        SELECT CASE WHEN p.status = 'failed' THEN ${failure(now, before, kinds)} END AS now,
          CASE WHEN o.status = 'failed' THEN ${failure(before, now, kinds)} END AS before OFFSET 0) failed
    WHERE p.report_id = ${reportId} AND 'failed' IN (p.status, o.status)
      AND (failed.now IS NOT NULL OR failed.before IS NOT NULL)`;
}

/**
 * Builds a query for the numbers of pages that have broken and recovered: `broken_pages` and `recovered_pages`.
 * @param at which results of the report to compare with the results at the end of the earlier one, of the same site
 */
export function pageCounts(
  reportId: RawBuilder<unknown>,
  withId: RawBuilder<unknown>,
  at: ResultsAt,
  kinds: readonly CheckKind[],
): RawBuilder<object> {
  return sql<object>`
    SELECT count(*) FILTER (WHERE change = 'broken') AS broken_pages,
      count(*) FILTER (WHERE change = 'recovered') AS recovered_pages
    FROM (${changedPages({ reportId, withId, at, atBefore: 'end', match: BY_URL }, kinds)}) changed`;
}

/** A diff whose pages are listed. */
export interface DiffOfPages extends ReportsOfPages {
  readonly id: number;
  readonly reportId: string;
  readonly withId: string;
}

/** The diff whose pages are listed, the kinds of check that count, and the reports before the earlier one. */
interface PagesToList extends PagesToCount {
  readonly earlier: readonly string[];
}

/** The number of pages with each change. */
export type PageChangeCounts = Readonly<Record<PageChangeName, number>>;

/** The diff whose pages are counted, and the kinds of check that count. */
export interface PagesToCount extends DiffOfPages {
  readonly kinds: readonly CheckKind[];
}

/** Finds the pages that have changed and keeps them with the diff. */
export async function keepPageChanges(db: Executor, of: PagesToCount): Promise<PageChangeCounts> {
  await sql`
    INSERT INTO changed_pages (diff_id, kinds, change, pages, num_pages)
    SELECT ${of.id}, ${sorted(of.kinds)}, change, pages, num_pages FROM (${countedPages(of)}) counted
    ON CONFLICT DO NOTHING`.execute(db);
  return (await countsIn(db, keptPages(of))) ?? NO_PAGES;
}

/**
 * Builds the query that finds the pages that have changed: a row for each `change`, with the ids of the `pages` and `num_pages`.
 */
function countedPages(of: PagesToCount): RawBuilder<unknown> {
  const { reportId, withId, match, kinds } = of;
  return sql`
    WITH all_changes AS (
      SELECT id, url, change FROM (${changedPages(of, kinds)}) changed
      UNION ALL
      SELECT p.id, p.url, 'added' FROM web_pages p
      WHERE p.report_id = ${reportId} AND NOT EXISTS (
        SELECT FROM web_pages o WHERE o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')})
      UNION ALL
      SELECT p.id, p.url, 'removed' FROM web_pages p
      WHERE p.report_id = ${withId} AND NOT EXISTS (
        SELECT FROM web_pages o WHERE o.report_id = ${reportId} AND o.url = ${matchedUrlOf(match, 'p.url')})
    )
    SELECT name AS change, coalesce(array_agg(c.id ORDER BY c.url) FILTER (WHERE c.id IS NOT NULL), '{}') AS pages,
      count(c.id) AS num_pages
    FROM unnest(${[...PAGE_CHANGES]}::text[]) AS name LEFT JOIN all_changes c ON c.change = name GROUP BY name`;
}

/** Builds the query for the rows that are stored with a diff; there may be none. */
export function keptPages({ id, kinds }: PagesToCount): RawBuilder<unknown> {
  return sql`
    SELECT change, pages, num_pages FROM changed_pages WHERE diff_id = ${id} AND kinds = ${sorted(kinds)}`;
}

export const sorted = (kinds: readonly CheckKind[]): CheckKind[] => [...kinds].sort();

/**
 * Returns the number of pages with each change; null if the diff keeps no lists.
 * @param lists from `countedPages` or `keptPages`
 */
async function countsIn(db: Executor, lists: RawBuilder<unknown>): Promise<PageChangeCounts | null> {
  const { rows } = await sql<{ change: PageChangeName; num_pages: number }>`
    SELECT change, num_pages FROM (${lists}) lists WHERE change = ANY(${[...PAGE_CHANGES]})`.execute(db);
  if (rows.length === 0) return null;
  return { ...NO_PAGES, ...Object.fromEntries(rows.map(({ change, num_pages: pages }) => [change, pages])) };
}

export interface PageChangePage extends ListPage<PageChange> {
  /** The number of pages with each change, regardless of the filter. */
  readonly counts: PageChangeCounts;
}

/**
 * Returns a page of the web pages that have changed since an earlier report: in the order of `PAGE_CHANGES`, then of their URLs.
 * Pages that were deleted after the diff are left out.
 * @returns null if the diff has been replaced in the meantime
 */
export async function listPageChanges(
  db: Executor,
  diff: DiffOfPages & Pick<PagesToList, 'earlier'>,
  { kinds, changes }: { readonly kinds: readonly CheckKind[]; readonly changes: readonly PageChangeName[] },
  { number, size }: PageRequest,
): Promise<PageChangePage | null> {
  const of = { ...diff, kinds };
  const found = await pageLists(db, of);
  if (found === null) return null;
  const { lists, counts } = found;
  const rows: PageChange[] = [];
  let total = 0;
  for (const change of PAGE_CHANGES.filter((name) => changes.includes(name))) {
    const [first, last] = [
      Math.max((number - 1) * size - total, 0) + 1,
      Math.min(number * size - total, counts[change]),
    ];
    if (first <= last) rows.push(...(await pagesIn(db, lists, of, change, [first, last])));
    total += counts[change];
  }
  return { total, rows, counts };
}

/**
 * Counts the pages that have changed.
 * @returns null if the diff has been replaced in the meantime
 */
export async function countPageChanges(db: Executor, of: PagesToCount): Promise<PageChangeCounts | null> {
  return (await pageLists(db, of))?.counts ?? null;
}

/**
 * Builds the query for the lists of pages, and counts the pages in each. Stores the lists first unless they are already stored,
 * as they are for all kinds together. While the database accepts no changes, the query finds the pages itself.
 * @returns null if the diff has been replaced in the meantime
 */
async function pageLists(
  db: Executor,
  of: PagesToCount,
): Promise<{ readonly lists: RawBuilder<unknown>; readonly counts: PageChangeCounts } | null> {
  const kept = keptPages(of);
  const keptCounts = await countsIn(db, kept);
  if (keptCounts !== null) return { lists: kept, counts: keptCounts };
  try {
    const lists = (await keep(keepPageChanges(db, of))) ? kept : countedPages(of);
    const counts = await countsIn(db, lists);
    return counts && { lists, counts };
  } catch (error) {
    if (isForeignKeyViolation(error)) return null;
    throw error;
  }
}

/**
 * Returns some of the pages in lists.
 * @param lists from `pageLists`
 * @param positions the positions of the first and the last page, from 1
 */
async function pagesIn(
  db: Executor,
  lists: RawBuilder<unknown>,
  { reportId, withId, at, atBefore, match, kinds, earlier }: PagesToList,
  change: PageChangeName,
  [first, last]: readonly [number, number],
): Promise<readonly PageChange[]> {
  const { rows } = await sql<PageChange>`
    SELECT p.id, p.report_id, p.url, p.title, p.http_status, k.change,
      CASE k.change WHEN 'removed' THEN p.http_status ELSE o.http_status END AS http_status_before,
      CASE k.change WHEN 'broken' THEN ${failure(['p', at], ['o', atBefore], kinds)} WHEN 'added' THEN ${anyFailure(kinds, at)} END AS error,
      CASE k.change
        WHEN 'added' THEN ${isDeletedFrom(withId, matchedUrlOf(match, 'p.url'))}
        WHEN 'removed' THEN ${isDeletedFrom(reportId, matchedUrlOf(match, 'p.url'))} ELSE false END AS deleted,
      k.change = 'added' AND EXISTS (
        SELECT FROM web_pages e WHERE e.report_id = ANY(${earlier}) AND e.url = ${matchedUrlOf(match, 'p.url')}) AS found_again
    FROM (
      SELECT change, pages[${first}::integer : ${last}::integer] AS pages FROM (${lists}) lists WHERE change = ${change}
    ) k CROSS JOIN LATERAL unnest(k.pages) WITH ORDINALITY AS u (id, n)
      JOIN ${pagesAt(change === 'removed' ? atBefore : at)} p ON p.id = u.id LEFT JOIN ${pagesAt(atBefore)} o ON o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')} AND k.change IN ('broken', 'recovered')
    ORDER BY u.n`.execute(db);
  return rows;
}

/** The counts for a report without a diff. */
export const NO_PAGES: PageChangeCounts = noneOf(PAGE_CHANGES);
