import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../domain/check.ts';
import { changeReport } from './change-report.ts';
import type { Executor } from './database.ts';
import {
  contains,
  type Direction,
  type ListPage,
  listPage,
  type PageRequest,
  type TagFilter,
  taggedWith,
} from './listing.ts';
import type { Report, ReportCheck, ReportStatus } from './schema.ts';

/** A report with the counts of its checks; a kind that is not enabled is absent. */
export interface ReportWithChecks extends Report {
  /** The account whose guest made the report; null when none did, or the sharing has ended. */
  readonly host_id: string | null;
  readonly checks: Readonly<Record<CheckKind, ReportCheckCounts>>;
}

export type ReportCheckCounts = Omit<ReportCheck, 'report_id' | 'kind'>;

/** Whose reports: the account's own, those of its guests, or both. */
export const REPORT_CREATORS = ['me', 'all', 'guests'] as const;

export interface ReportFilter {
  readonly accountId: string;
  /** The account's own when absent. */
  readonly createdBy?: (typeof REPORT_CREATORS)[number] | undefined;
  /** Among those of guests, only of these guest accounts. */
  readonly guestAccountIds?: readonly string[] | undefined;
  /** Part of the starting URL. */
  readonly url?: string | undefined;
  readonly tags?: TagFilter | undefined;
  readonly status?: ReportStatus | undefined;
  readonly scheduleId?: string | undefined;
}

/** What lists of reports can be sorted by beside what checks found, in the contract's words (section 4.1). */
const SORTS = {
  url: sql`reports.starting_url COLLATE "C"`,
  num_web_pages: sql`reports.num_pages`,
  // PostgreSQL takes null for the greatest value, which is right: a report never checked counts as the most recent.
  last_checked_at: sql`reports.last_checked_at`,
} as const satisfies Record<string, RawBuilder<unknown>>;

/** The counts of a kind of check that reports can be sorted by. */
const COUNTS = {
  issues: sql`c.errors + c.warnings`,
  errors: sql`c.errors`,
  warnings: sql`c.warnings`,
} as const satisfies Record<string, RawBuilder<unknown>>;

export const SORTABLE_COUNTS = Object.keys(COUNTS) as readonly (keyof typeof COUNTS)[];

export interface ReportOrder {
  readonly key: keyof typeof SORTS | { readonly kind: CheckKind; readonly count: keyof typeof COUNTS };
  readonly direction: Direction;
}

const checks = sql<ReportWithChecks['checks']>`(
  SELECT coalesce(jsonb_object_agg(c.kind, to_jsonb(c) - '{report_id,kind}'::text[]), '{}')
  FROM report_checks c WHERE c.report_id = reports.id)`;

const hostId = sql<string | null>`(
  SELECT g.host_id FROM guest_accounts g WHERE g.id = reports.guest_account_id AND g.deleted_at IS NULL)`;

/** A page of an account's reports. Ties are broken by id in the direction of the last key, so the order is total. */
export async function listReports(
  db: Executor,
  filter: ReportFilter,
  orders: readonly ReportOrder[],
  page: PageRequest,
): Promise<ListPage<ReportWithChecks>> {
  let list = db.selectFrom('reports').where(createdBy(filter)).where('deleted_at', 'is', null);
  if (filter.url !== undefined) list = list.where(contains(sql.ref('reports.starting_url'), filter.url));
  if (filter.tags !== undefined) list = list.where(taggedWith(sql.ref('reports.tags'), filter.tags));
  if (filter.status !== undefined) list = list.where('status', '=', filter.status);
  if (filter.scheduleId !== undefined) list = list.where('schedule_id', '=', filter.scheduleId);

  return listPage(list, page, (reports) => {
    let rows = reports.selectAll('reports').select([checks.as('checks'), hostId.as('host_id')]);
    for (const { key, direction } of orders) {
      rows = rows.orderBy(typeof key === 'string' ? SORTS[key] : issuesOf(key.kind, COUNTS[key.count]), direction);
    }
    return rows.orderBy('reports.id', orders.at(-1)?.direction ?? 'desc');
  });
}

export async function findReport(db: Executor, id: string): Promise<ReportWithChecks | undefined> {
  return db
    .selectFrom('reports')
    .selectAll('reports')
    .select([checks.as('checks'), hostId.as('host_id')])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Lets others read the report, or no longer. */
export async function setShared(db: Executor, reportId: string, shared: boolean): Promise<void> {
  await changeReport(db, reportId, ({ trx }) =>
    trx.updateTable('reports').set({ shared }).where('id', '=', reportId).execute(),
  );
}

function createdBy({ accountId, createdBy: creator = 'me', guestAccountIds }: ReportFilter): RawBuilder<SqlBool> {
  const own = sql<SqlBool>`account_id = ${accountId}`;
  if (creator === 'me') return own;
  const chosen = guestAccountIds === undefined ? sql`` : sql`AND g.id = ANY(${[...guestAccountIds]})`;
  // As an array, the guest accounts are a condition for an index, even beside another one.
  const guests = sql<SqlBool>`guest_account_id = ANY(ARRAY(
    SELECT g.id FROM guest_accounts g WHERE g.host_id = ${accountId} AND g.deleted_at IS NULL ${chosen}))`;
  return creator === 'guests' ? guests : sql<SqlBool>`(${own} OR ${guests})`;
}

/** A count of a report's check, 0 when the check is not enabled. */
function issuesOf(kind: CheckKind, count: Expression<unknown>): RawBuilder<unknown> {
  return sql`coalesce(
    (SELECT ${count} FROM report_checks c WHERE c.report_id = reports.id AND c.kind = ${sql.lit(kind)}), 0)`;
}
