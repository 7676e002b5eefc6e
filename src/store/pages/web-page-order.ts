import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind, CheckState } from '../../domain/check.ts';
import type { Executor } from '../database.ts';
import type { Direction, IdsInOrder } from '../listing.ts';
import type { Schema } from '../schema.ts';

/** Sort keys of web pages, in addition to the errors of each kind of check. */
export const WEB_PAGE_SORTS = ['url', 'title', 'http_status'] as const;

export interface WebPageOrder {
  readonly key: (typeof WEB_PAGE_SORTS)[number] | { readonly errorsOf: CheckKind };
  readonly direction: Direction;
}

/** Filters pages by the state of their check of one kind. */
export interface CheckStateFilter {
  readonly kind: CheckKind;
  readonly states: readonly CheckState[];
}

const COLUMNS = {
  url: sql`web_pages.url`,
  title: sql`web_pages.folded_title`,
  http_status: sql`web_pages.http_status`,
} as const;

/**
 * Sorts web pages; by id without `orders`. Pages without a title or status come first, and pages without a check count as having
 * no errors. Ties are broken by id, in the direction of the last key.
 */
export function inOrder<Row>(
  pages: SelectQueryBuilder<Schema, 'web_pages', Row>,
  orders: readonly WebPageOrder[],
): SelectQueryBuilder<Schema, 'web_pages', Row> {
  let sorted = pages;
  for (const { key, direction } of orders) {
    // Indexes have this order in both directions.
    sorted = sorted.orderBy(typeof key === 'string' ? COLUMNS[key] : errorsOf(key.errorsOf), (order) =>
      direction === 'asc' ? order.asc().nullsFirst() : order.desc().nullsLast(),
    );
  }
  // URLs are unique, and their index has no other column to sort by.
  return orders.at(-1)?.key === 'url' ? sorted : sorted.orderBy('web_pages.id', orders.at(-1)?.direction ?? 'asc');
}

function errorsOf(kind: CheckKind): RawBuilder<number> {
  return sql`coalesce((SELECT c.errors FROM checks c WHERE c.web_page_id = web_pages.id AND c.kind = ${kind}), 0)`;
}

export function hasCheckIn(reportId: string, { kind, states }: CheckStateFilter): RawBuilder<SqlBool> {
  return sql`web_pages.id IN (SELECT c.web_page_id FROM checks c
    WHERE c.report_id = ${reportId} AND c.kind = ${kind} AND c.state = ANY(${[...states]}))`;
}

/** The number of the report's pages, and of its checks of a kind by state; null if the kind is not enabled. */
interface PageCounts {
  readonly pages: number;
  readonly checks: Readonly<Record<CheckState, number>> | null;
}

/**
 * Finds the pages of a report by its checks of one kind alone, for which indexes by state and by number of errors exist.
 * @returns undefined if `filter` and `orders` need more than that
 */
export async function pagesByCheck(
  db: Executor,
  reportId: string,
  filters: readonly CheckStateFilter[],
  orders: readonly WebPageOrder[],
): Promise<{ readonly total: number; readonly ids?: IdsInOrder } | undefined> {
  const [filter] = filters;
  const [order] = orders;
  const sortedBy = typeof order?.key === 'object' ? order.key.errorsOf : undefined;
  const kind = filter?.kind ?? sortedBy;
  if (kind === undefined || filters.length > 1) return undefined;
  const counts = await countPages(db, reportId, kind);
  const states = filter === undefined ? undefined : new Set(filter.states);
  const total =
    states === undefined ? counts.pages : [...states].reduce((sum, state) => sum + (counts.checks?.[state] ?? 0), 0);
  const isSortedByCheck = order === undefined ? filter !== undefined : orders.length === 1 && sortedBy === kind;
  const direction = order?.direction ?? 'asc';
  if (isSortedByCheck && counts.checks === null && states === undefined) {
    const pages = db.selectFrom('web_pages').select('id').where('report_id', '=', reportId).orderBy('id', direction);
    return { total, ids: pages };
  }
  // Without a filter, pages without such a check belong to the list, too.
  const checked = Object.values(counts.checks ?? {}).reduce((sum, count) => sum + count, 0);
  if (!isSortedByCheck || (states === undefined && checked !== counts.pages)) return { total };
  let ids = db
    .selectFrom('checks')
    .select('web_page_id as id')
    .where('report_id', '=', reportId)
    .where('kind', '=', kind);
  if (states !== undefined) ids = ids.where(sql<SqlBool>`state = ANY(${[...states]})`);
  if (order !== undefined) ids = ids.orderBy('errors', direction);
  return { total, ids: ids.orderBy('web_page_id', direction) };
}

async function countPages(db: Executor, reportId: string, kind: CheckKind): Promise<PageCounts> {
  const row = await db
    .selectFrom('reports as r')
    .leftJoin('report_checks as c', (join) => join.onRef('c.report_id', '=', 'r.id').on('c.kind', '=', kind))
    .select(['r.num_pages', 'c.pending', 'c.checked', 'c.failed', 'c.with_errors'])
    .where('r.id', '=', reportId)
    .executeTakeFirst();
  if (row === undefined) return { pages: 0, checks: null };
  const { num_pages: pages, pending, checked, failed, with_errors } = row;
  if (pending === null || checked === null || failed === null || with_errors === null) return { pages, checks: null };
  return { pages, checks: { passed: checked - with_errors, with_errors, failed, pending } };
}
