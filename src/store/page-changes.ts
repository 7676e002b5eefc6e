import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { PAGE_CHANGES, type PageChangeName } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import type { Failure, FailureCode } from '../domain/failures/failure.ts';
import type { Executor } from './database.ts';
import type { ListPage, PageRequest } from './listing.ts';
import { BY_URL, matchedUrlOf, type PageMatch } from './page-match.ts';

/** A page that has broken or recovered since an earlier report, or that only one of the two reports has. */
export interface PageChange {
  readonly id: number;
  readonly report_id: string;
  readonly url: string;
  readonly title: string | null;
  /** In this report; in the earlier one for a removed page. */
  readonly http_status: number | null;
  /** In the earlier report; null for a page that it does not have. */
  readonly http_status_before: number | null;
  readonly change: PageChangeName;
  /** Why a broken page could not be checked. */
  readonly error: Failure | null;
}

/** Failures of checks that say nothing about the page. */
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

/** Builds a query for the failure of a check of the page `now` that ran on the page `before`. Pages are aliases. */
function failure(now: string, before: string, kinds: readonly CheckKind[] | null): RawBuilder<Failure | null> {
  const ofKinds = kinds === null ? sql`` : sql`AND n.kind = ANY(${[...kinds]})`;
  return sql<Failure | null>`(
    SELECT n.error FROM checks n JOIN checks b ON b.kind = n.kind AND b.web_page_id = ${sql.ref(`${before}.id`)}
    WHERE n.web_page_id = ${sql.ref(`${now}.id`)} AND n.status = 'failed' AND b.status = 'checked'
      AND NOT coalesce(n.error->>'code' = ANY(${[...NOT_OF_PAGE]}), false) ${ofKinds}
    ORDER BY n.kind LIMIT 1)`;
}

/** Builds a query for the pages of both reports that have broken or recovered. */
function changedPages(
  reportId: string | RawBuilder<unknown>,
  withId: string | RawBuilder<unknown>,
  kinds: readonly CheckKind[] | null,
  match: PageMatch,
): RawBuilder<object> {
  return sql<object>`
    SELECT p.id, p.report_id, p.url, p.title, p.http_status, o.http_status AS http_status_before,
      CASE WHEN failed.now IS NULL THEN 'recovered' ELSE 'broken' END AS change, failed.now AS error
    FROM web_pages p JOIN web_pages o ON o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')}
      CROSS JOIN LATERAL (
        SELECT CASE WHEN p.status = 'failed' THEN ${failure('p', 'o', kinds)} END AS now,
          CASE WHEN o.status = 'failed' THEN ${failure('o', 'p', kinds)} END AS before OFFSET 0) failed
    WHERE p.report_id = ${reportId} AND 'failed' IN (p.status, o.status)
      AND (failed.now IS NOT NULL OR failed.before IS NOT NULL)`;
}

/**
 * Builds a query for the numbers of pages that have broken and recovered: `broken_pages` and `recovered_pages`.
 * @param kinds the kinds of check that count; null for all
 * @param match how pages of the two reports are matched; by URL for reports of one site
 */
export function pageCounts(
  reportId: string | RawBuilder<unknown>,
  withId: string | RawBuilder<unknown>,
  kinds: readonly CheckKind[] | null = null,
  match = BY_URL,
): RawBuilder<object> {
  return sql<object>`
    SELECT count(*) FILTER (WHERE change = 'broken') AS broken_pages,
      count(*) FILTER (WHERE change = 'recovered') AS recovered_pages
    FROM (${changedPages(reportId, withId, kinds, match)}) changed`;
}

export interface PageChangePage extends ListPage<PageChange> {
  /** The number of pages with each change, regardless of the filter. */
  readonly counts: Readonly<Record<PageChangeName, number>>;
}

/** Returns a page of the web pages that have changed since an earlier report: in the order of `PAGE_CHANGES`, then of their URLs. */
export async function listPageChanges(
  db: Executor,
  { reportId, withId, match }: { readonly reportId: string; readonly withId: string; readonly match: PageMatch },
  { kinds, changes }: { readonly kinds: readonly CheckKind[]; readonly changes: readonly PageChangeName[] },
  { number, size }: PageRequest,
): Promise<PageChangePage> {
  const shown = sql<SqlBool>`change = ANY(${[...changes]})`;
  const order = sql`array_position(${[...PAGE_CHANGES]}::text[], change), url`;
  const { rows } = await sql<Omit<PageChangePage, 'counts'> & { counts: Partial<PageChangePage['counts']> }>`
    WITH all_changes AS MATERIALIZED (
      ${changedPages(reportId, withId, kinds, match)}
      UNION ALL
      SELECT p.id, p.report_id, p.url, p.title, p.http_status, NULL, 'added', NULL FROM web_pages p
      WHERE p.report_id = ${reportId} AND NOT EXISTS (
        SELECT FROM web_pages o WHERE o.report_id = ${withId} AND o.url = ${matchedUrlOf(match, 'p.url')})
      UNION ALL
      SELECT p.id, p.report_id, p.url, p.title, p.http_status, p.http_status, 'removed', NULL FROM web_pages p
      WHERE p.report_id = ${withId} AND NOT EXISTS (
        SELECT FROM web_pages o WHERE o.report_id = ${reportId} AND o.url = ${matchedUrlOf(match, 'p.url')})
    )
    SELECT (SELECT count(*) FROM all_changes WHERE ${shown}) AS total,
      (SELECT coalesce(json_object_agg(change, pages), '{}')
        FROM (SELECT change, count(*) AS pages FROM all_changes GROUP BY change) counted) AS counts,
      (SELECT coalesce(json_agg(c), '[]') FROM (
        SELECT * FROM all_changes WHERE ${shown} ORDER BY ${order} LIMIT ${size} OFFSET ${(number - 1) * size}) c) AS rows`.execute(
    db,
  );
  const [found] = rows;
  return { total: found?.total ?? 0, rows: found?.rows ?? [], counts: { ...NO_PAGES, ...found?.counts } };
}

/** Of a report that is compared with none. */
export const NO_PAGES: PageChangePage['counts'] = { broken: 0, recovered: 0, added: 0, removed: 0 };
