import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Failure } from '../domain/failures/failure.ts';
import type { ChannelKind } from '../domain/notifications.ts';
import { isInUse } from './accounts/account-states.ts';
import type { Executor } from './database.ts';
import { contains, type Direction, type ListPage, listPage, type PageRequest } from './listing.ts';
import type { Account } from './schema.ts';

/** An account as an operator sees it. */
export interface OperatedAccount
  extends Pick<
    Account,
    | 'id'
    | 'name'
    | 'email'
    | 'plan'
    | 'credits'
    | 'operator'
    | 'disabled_at'
    | 'deleting_since'
    | 'inserted_at'
    | 'updated_at'
  > {
  readonly num_sites: number;
  readonly num_reports: number;
  /** Unfinished reports. */
  readonly num_running: number;
  /** Web pages of all reports. */
  readonly num_pages: number;
  /** What its reports take up in the database; see `report-sizes.ts`. */
  readonly bytes: number;
  /** When it was last used in a browser or with a token, to the minute. */
  readonly last_used_at: Date | null;
}

const reportsOf = (figure: RawBuilder<unknown>, condition: RawBuilder<unknown> = sql`true`) => sql<number>`(
  SELECT ${figure} FROM reports r LEFT JOIN report_sizes z ON z.report_id = r.id
  WHERE r.account_id = accounts.id AND r.deleted_at IS NULL AND ${condition})`;

const bytes = reportsOf(sql`coalesce(sum(z.results_bytes + z.documents_bytes + z.screenshots_bytes), 0)::bigint`);
const numReports = reportsOf(sql`count(*)::integer`);
/** Sessions that have ended are deleted, but the audit log keeps what they did, at least that they began. */
const lastUsed = sql<Date | null>`greatest(
  (SELECT max(last_seen_at) FROM sessions s WHERE s.account_id = accounts.id),
  (SELECT max(last_used_at) FROM api_tokens t WHERE t.account_id = accounts.id),
  (SELECT g.inserted_at FROM audit_log g WHERE g.account_id = accounts.id AND g.actor_account_id IS NULL
    AND g.actor <> 'command' AND g.status < 400 ORDER BY g.id DESC LIMIT 1))`;

const ACCOUNT_SORTS = {
  email: sql`lower(accounts.email COLLATE "C")`,
  inserted_at: sql`accounts.inserted_at`,
  last_used_at: lastUsed,
  num_reports: numReports,
  bytes,
} as const satisfies Record<string, RawBuilder<unknown>>;

export type AccountSort = keyof typeof ACCOUNT_SORTS;
export const ACCOUNT_SORT_KEYS = Object.keys(ACCOUNT_SORTS) as readonly AccountSort[];

/** Lists the accounts of the installation, including accounts that are being deleted. */
export function listOperatedAccounts(
  db: Executor,
  {
    text,
    id,
    order,
  }: {
    /** Part of the name or the address. */
    readonly text?: string | undefined;
    readonly id?: string;
    readonly order: { readonly key: AccountSort; readonly direction: Direction };
  },
  page: PageRequest,
): Promise<ListPage<OperatedAccount>> {
  let accounts = db.selectFrom('accounts');
  if (id !== undefined) accounts = accounts.where('accounts.id', '=', id);
  if (text !== undefined)
    accounts = accounts.where(
      sql<SqlBool>`(${contains(sql`accounts.email`, text)} OR ${contains(sql`accounts.name`, text)})`,
    );
  const columns = ['id', 'name', 'email', 'plan', 'credits', 'operator', 'disabled_at', 'deleting_since'] as const;
  return listPage(
    accounts,
    page,
    (rows) =>
      rows
        .select([
          ...columns.map((column) => `accounts.${column}` as const),
          'accounts.inserted_at',
          'accounts.updated_at',
        ])
        .select(sql<number>`(SELECT count(*) FROM sites s WHERE s.account_id = accounts.id)::integer`.as('num_sites'))
        .select(numReports.as('num_reports'))
        .select(
          reportsOf(sql`count(*)::integer`, sql`r.status IN ('pending', 'crawling', 'checking')`).as('num_running'),
        )
        .select(reportsOf(sql`coalesce(sum(r.num_pages), 0)::bigint`).as('num_pages'))
        .select(bytes.as('bytes'))
        .select(lastUsed.as('last_used_at'))
        .orderBy(ACCOUNT_SORTS[order.key], (by) => by[order.direction]().nullsLast())
        .orderBy('accounts.id'),
    { id: 'accounts.id' },
  );
}

/** Returns an account for an operator, even while it is being deleted; undefined if it does not exist. */
export async function findOperatedAccount(db: Executor, id: string): Promise<OperatedAccount | undefined> {
  const order = { key: 'email', direction: 'asc' } as const;
  const { rows } = await listOperatedAccounts(db, { id, order }, { number: 1, size: 1 });
  return rows[0];
}

/** A notification channel whose last deliveries have failed. */
export interface FailingChannel {
  readonly id: string;
  readonly account: { readonly id: string; readonly name: string; readonly email: string };
  readonly kind: ChannelKind;
  readonly name: string;
  /** The host of the URL, or the email address. */
  readonly target: string;
  readonly failing_since: Date;
  /** Null while the service keeps trying. */
  readonly paused_at: Date | null;
  readonly last_error: Failure | null;
  readonly last_delivered_at: Date | null;
  /** Deliveries that wait for a retry. */
  readonly waiting: number;
  /** Deliveries of the last days that failed for good. */
  readonly failed: number;
}

const ownerOf = (table: string) => sql<
  FailingChannel['account']
>`(SELECT jsonb_build_object('id', a.id, 'name', a.name, 'email', a.email)
  FROM accounts a WHERE a.id = ${sql.ref(table)}.account_id)`;

/** Lists the channels of all accounts that have failed since their last delivery, longest-failing first. */
export function listFailingChannels(db: Executor, page: PageRequest): Promise<ListPage<FailingChannel>> {
  const ofChannel = (condition: RawBuilder<unknown>) => sql<number>`(SELECT count(*) FROM notification_deliveries d
    WHERE d.channel_id = notification_channels.id AND ${condition})::integer`;
  const failing = db
    .selectFrom('notification_channels')
    .where('failing_since', 'is not', null)
    .where(isInUse(sql.ref('notification_channels.account_id')));
  return listPage(failing, page, (rows) =>
    rows
      .select(['id', 'kind', 'name', 'target', 'paused_at', 'last_error', 'last_delivered_at'])
      .select(sql<Date>`failing_since`.as('failing_since'))
      .select(ownerOf('notification_channels').as('account'))
      .select(ofChannel(sql`d.next_attempt_at IS NOT NULL`).as('waiting'))
      .select(ofChannel(sql`d.status = 'failed'`).as('failed'))
      .orderBy('failing_since')
      .orderBy('id'),
  );
}

/** A site whose reports took a long time. */
export interface SlowSite {
  readonly id: string;
  readonly account: FailingChannel['account'];
  readonly name: string;
  readonly starting_url: string;
  /** Reports that ended in the period. */
  readonly num_reports: number;
  /** Pages of these reports. */
  readonly num_pages: number;
  /** From the creation of a report to its end, on average. */
  readonly seconds: number;
  readonly seconds_per_page: number;
}

/** The period for which slow sites are listed. */
export const SLOW_DAYS = 7;

/** Lists the sites by how long their reports of the last `SLOW_DAYS` took per page, slowest first. */
export async function listSlowSites(db: Executor, page: PageRequest): Promise<ListPage<SlowSite>> {
  const took = sql`extract(epoch FROM r.first_finished_at - r.inserted_at)`;
  const { rows } = await sql<SlowSite & { total: number }>`
    WITH slow AS (
      SELECT r.site_id, count(*)::integer AS num_reports, sum(r.num_pages)::integer AS num_pages,
        avg(${took})::float8 AS seconds, (sum(${took}) / greatest(sum(r.num_pages), 1))::float8 AS seconds_per_page
      FROM reports r
      WHERE r.finished_at > now() - make_interval(days => ${sql.lit(SLOW_DAYS)}) AND r.first_finished_at IS NOT NULL
        AND r.deleted_at IS NULL
      GROUP BY r.site_id
    )
    SELECT sites.id, ${ownerOf('sites')} AS account, sites.name, sites.starting_url, slow.num_reports, slow.num_pages,
      slow.seconds, slow.seconds_per_page, count(*) OVER ()::integer AS total
    FROM slow JOIN sites ON sites.id = slow.site_id
    ORDER BY seconds_per_page DESC, sites.id LIMIT ${page.size} OFFSET ${(page.number - 1) * page.size}`.execute(db);
  return { total: rows[0]?.total ?? 0, rows };
}

/** The size of the database. */
export async function databaseBytes(db: Executor): Promise<number> {
  const size = sql<number>`pg_database_size(current_database())`.as('bytes');
  return (await db.selectNoFrom(size).executeTakeFirstOrThrow()).bytes;
}
