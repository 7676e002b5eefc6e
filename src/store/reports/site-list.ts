import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import { isOutOfCredits } from '../credits/credits.ts';
import type { Executor } from '../database.ts';
import { type ChangeCounts, changeOfRun } from '../diffs/change-totals.ts';
import { contains, type Direction, type ListPage, listPage, type PageRequest, taggedWith } from '../listing.ts';
import { createdBy, guestAccountsOf, isCutShort, type ReportCreators, type ReportFilter } from './reports.ts';
import { type CountsAtEndOfRun, countsOfRun, RUN_COUNT_COLUMNS } from './run-counts.ts';
import { marksAlong, type RunMarks } from './run-marks.ts';
import { type Unacknowledged, unacknowledged } from './site-attention.ts';
import { isDeployed, nextRunOfSite } from './sites.ts';

/** Runs of a site that are shown. */
const RUNS_MAX = 12;

/** Why a site needs attention: the first reason that applies (decision 0050). */
export const ATTENTIONS = [
  'failed',
  'new_critical',
  'new_errors',
  'no_credits',
  'broken_pages',
  'not_passed',
  'has_errors',
  'none',
] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** What sites are filtered by: a reason, `any` reason, or `none`. */
export const ATTENTION_CHOICES = ['any', ...ATTENTIONS] as const;
export type AttentionChoice = (typeof ATTENTION_CHOICES)[number];

/**
 * A report of a site that has ended, with its counts at that time. Its marks in the history are present only if a single site is
 * read.
 */
export interface SiteRun extends CountsAtEndOfRun, Partial<RunMarks> {
  readonly report_id: string;
  readonly status: 'finished' | 'failed' | 'checking';
  /** With a time zone. */
  readonly finished_at: string;
  /** Whether it ended before it was complete. */
  readonly stopped: boolean;
  /** Issues and unchecked pages that its schedule's `fail_on` counts; null without a verdict. */
  readonly num_failing: number | null;
  /** Null unless the viewer sees all kinds of check. */
  readonly change: ChangeCounts | null;
}

export interface SiteThumbnail {
  /** SHA-256 of the image, in hexadecimal. */
  readonly hash: string;
  readonly width: number;
  readonly height: number;
}

export interface SiteRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly notes: string;
  /** The attributes of its next report. */
  readonly definition: ReportDefinition;
  readonly signs_in: boolean;
  /** The encrypted credentials; null without any, and for a site of a guest. */
  readonly site_access: Buffer | null;
  readonly archived_at: Date | null;
  /** The file of `sync` that created it; null for other sites, and for a site of a guest. */
  readonly synced_from: string | null;
  readonly inserted_at: Date;
  readonly updated_at: Date;
  /** The time of the last check in the newest report; null before the first check, or without a report. */
  readonly last_checked_at: Date | null;
  /** Null without a report. */
  readonly last_report_id: string | null;
  /** What deleting it removes. */
  readonly num_reports: number;
  readonly num_web_pages: number;
  readonly num_schedules: number;
  /** Newest first. */
  readonly runs: readonly SiteRun[];
  readonly change: ChangeCounts | null;
  readonly attention: Attention;
  readonly unacknowledged: Unacknowledged | null;
  readonly acknowledged_at: Date | null;
  /** What its start page looks like; null if no report that the viewer sees has shown it. */
  readonly thumbnail: SiteThumbnail | null;
  /** Null for a guest's site, and for an archived site. */
  readonly next_run_at: Date | null;
  /** Whether the deploy hook of a schedule checks it. False for a site of a guest. */
  readonly runs_on_deploy: boolean;
}

export type SiteFilter = Pick<ReportFilter, 'accountId' | 'createdBy' | 'guestAccountIds' | 'url' | 'tags'> & {
  readonly id?: string;
  /** Part of its name or starting URL. */
  readonly text?: string | undefined;
  /** Whether it is archived; both if absent. */
  readonly isArchived?: boolean | undefined;
  /** Whether it has tags; both if absent. */
  readonly isTagged?: boolean | undefined;
  /** Sites with any of these; absent or empty for all sites. */
  readonly attention?: readonly AttentionChoice[] | undefined;
  /** The kinds of check whose issues are counted. */
  readonly kinds: readonly CheckKind[];
  /** Whether these are all kinds. */
  readonly seesAllKinds: boolean;
  /** The start time of schedules without a time of day, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
};

export const SITE_SORT_KEYS = ['attention', 'name', 'starting_url', 'last_checked_at'] as const;

export interface SiteOrder {
  readonly key: (typeof SITE_SORT_KEYS)[number];
  readonly direction: Direction;
}

const LACKS_CREDITS = ['credits_over', 'credits_over_in_crawl'];

/** The verdict applies to all kinds of check. */
const attentionFor = ({ kinds, seesAllKinds }: SiteFilter) => sql<Attention>`CASE
  WHEN last.status = 'failed' THEN 'failed'
  WHEN (unacknowledged->>'new_critical')::integer > 0 THEN 'new_critical'
  WHEN (unacknowledged->>'new_errors')::integer > 0 THEN 'new_errors'
  WHEN last.crawl_error->>'code' = ANY(${LACKS_CREDITS}) THEN 'no_credits'
  WHEN next_run_at IS NOT NULL AND ${isOutOfCredits(sql.ref('sites.account_id'))} THEN 'no_credits'
  WHEN (unacknowledged->>'broken_pages')::integer > 0 THEN 'broken_pages'
  WHEN last.num_failing > 0 AND ${seesAllKinds} THEN 'not_passed'
  WHEN sites.acknowledged_at IS NULL AND last.id IS NOT NULL AND NOT ${isCutShort(sql.ref('last.crawl_error'))} AND EXISTS (
    SELECT FROM report_checks c WHERE c.report_id = last.id AND c.kind = ANY(${[...kinds]}) AND c.errors > 0) THEN 'has_errors'
  ELSE 'none' END`;

/**
 * Selects a site's next run, its last change, what is unacknowledged, and why it needs attention. A host sees neither the
 * schedules nor the credits of a guest.
 *
 * `OFFSET 0` makes PostgreSQL plan and evaluate these expressions once instead of once per use.
 */
function stateFor(filter: SiteFilter): RawBuilder<object> {
  const { accountId, kinds, seesAllKinds, scheduleTimeMs } = filter;
  const ownNextRun = sql`CASE WHEN sites.account_id = ${accountId} AND sites.archived_at IS NULL THEN ${nextRunOfSite(scheduleTimeMs)} END`;
  const counted = seesAllKinds ? null : kinds;
  const change = changeOfRun('last', 'now', accountId, counted);
  return sql<object>`(
    SELECT next_run_at, change, unacknowledged, ${attentionFor(filter)} AS attention
    FROM (
      SELECT ${ownNextRun} AS next_run_at, ${change} AS change, ${unacknowledged(accountId, counted)} AS unacknowledged OFFSET 0
    ) found OFFSET 0)`;
}

export const SITE_SORTS = {
  attention: sql`array_position(${sql.lit(`{${ATTENTIONS.join()}}`)}::text[], state.attention)`,
  name: sql`casefold(coalesce(nullif(sites.name, ''), sites.address) COLLATE pg_unicode_fast)`,
  starting_url: sql`sites.starting_url COLLATE "C"`,
  last_checked_at: sql`newest.last_checked_at`,
} as const satisfies Record<SiteOrder['key'], RawBuilder<unknown>>;

/** Returns a page of sites. Ties are broken by starting URL and id. */
export async function listSites(
  db: Executor,
  filter: SiteFilter,
  orders: readonly SiteOrder[],
  page: PageRequest,
): Promise<ListPage<SiteRow>> {
  const { total, rows: found } = await listPage(
    selectSites(db, filter),
    page,
    (sites) => {
      let rows = sites.select([
        'sites.id',
        'sites.account_id',
        'sites.name',
        'sites.notes',
        'sites.definition',
        sql<boolean>`sites.site_access IS NOT NULL`.as('signs_in'),
        sql<Buffer | null>`CASE WHEN sites.account_id = ${filter.accountId} THEN sites.site_access END`.as(
          'site_access',
        ),
        'sites.archived_at',
        sql<string | null>`CASE WHEN sites.account_id = ${filter.accountId} THEN sites.synced_from END`.as(
          'synced_from',
        ),
        'sites.inserted_at',
        'sites.updated_at',
        sql<Date | null>`newest.last_checked_at`.as('last_checked_at'),
        sql<string | null>`newest.id`.as('last_report_id'),
        ...contents(filter),
        runs(filter).as('runs'),
        sql<ChangeCounts | null>`state.change`.as('change'),
        sql<Attention>`state.attention`.as('attention'),
        sql<Unacknowledged | null>`state.unacknowledged`.as('unacknowledged'),
        'sites.acknowledged_at',
        thumbnail(filter).as('thumbnail'),
        sql<Date | null>`state.next_run_at`.as('next_run_at'),
        sql<boolean>`sites.account_id = ${filter.accountId} AND sites.archived_at IS NULL AND ${isDeployed}`.as(
          'runs_on_deploy',
        ),
      ]);
      for (const { key, direction } of orders) rows = rows.orderBy(SITE_SORTS[key], direction);
      return rows.orderBy(SITE_SORTS.starting_url).orderBy('sites.id');
    },
    { id: 'sites.id' },
  );
  return { total, rows: found.map((row) => ({ ...row, definition: { ...DEFAULT_DEFINITION, ...row.definition } })) };
}

/** Selects what deleting a site removes. */
function contents(filter: SiteFilter) {
  const reports = sql`FROM reports WHERE site_id = sites.id AND ${shownReports(filter)}`;
  return [
    sql<number>`(SELECT count(*) ${reports})`.as('num_reports'),
    sql<number>`(SELECT coalesce(sum(num_pages), 0) ${reports})`.as('num_web_pages'),
    sql<number>`(SELECT count(*) FROM schedules WHERE site_id = sites.id AND account_id = ${filter.accountId})`.as(
      'num_schedules',
    ),
  ] as const;
}

export async function findSite(
  db: Executor,
  filter: SiteFilter & { readonly id: string },
): Promise<SiteRow | undefined> {
  const [site] = (await listSites(db, filter, [], { number: 1, size: 1 })).rows;
  if (site === undefined) return undefined;
  const marks = await marksAlong(
    db,
    site.id,
    site.runs.map(({ report_id: id }) => id),
  );
  return { ...site, runs: site.runs.map((run, index) => ({ ...run, ...marks[index] })) };
}

/** Sites with their newest report, and with the last report that has ended. A host sees sites of guests through their reports. */
export function selectSites(db: Executor, filter: SiteFilter) {
  const reports = (columns: string, condition: RawBuilder<unknown>) => sql<object>`(
    SELECT ${sql.raw(columns)} FROM reports
    WHERE site_id = sites.id AND ${shownReports(filter)} ${condition} ORDER BY inserted_at DESC, id DESC LIMIT 1)`;
  let list = db
    .selectFrom('sites')
    .leftJoinLateral(reports('id, last_checked_at', sql``).as('newest'), (join) => join.onTrue())
    .leftJoinLateral(reports('id, status, crawl_error, guest_account_id, num_failing', ENDED).as('last'), (join) =>
      join.onTrue(),
    )
    .innerJoinLateral(stateFor(filter).as('state'), (join) => join.onTrue())
    .where(sitesOf(filter))
    .where('sites.deleted_at', 'is', null)
    .where(sql<SqlBool>`(newest.id IS NOT NULL OR sites.account_id = ${filter.accountId} AND ${isWithoutReports})`);
  if (filter.id !== undefined) list = list.where('sites.id', '=', filter.id);
  if (filter.url !== undefined) list = list.where(contains(sql.ref('sites.starting_url'), filter.url));
  if (filter.tags !== undefined) list = list.where(taggedWith(tagsOfSite, filter.tags));
  if (filter.isTagged !== undefined) list = list.where(sql<SqlBool>`(${tagsOfSite} <> '{}') = ${filter.isTagged}`);
  if (filter.isArchived !== undefined)
    list = list.where('sites.archived_at', filter.isArchived ? 'is not' : 'is', null);
  if (filter.text !== undefined)
    list = list.where(contains(sql`concat_ws(' ', sites.name, sites.starting_url)`, filter.text));
  const { attention = [] } = filter;
  if (attention.length > 0) {
    const isWanted = sql<SqlBool>`state.attention = ANY(${attention}::text[])`;
    list = list.where(attention.includes('any') ? sql<SqlBool>`(${needsAttention} OR ${isWanted})` : isWanted);
  }
  return list;
}

/** Whether a site needs attention. */
export const needsAttention = sql<SqlBool>`state.attention <> 'none'`;

/** Selects the errors of the last run that has ended. */
export function countsOfLast(kinds: readonly CheckKind[]) {
  const counts = sql`FROM report_checks c WHERE c.report_id = last.id AND c.kind = ANY(${[...kinds]})`;
  return [
    sql<number>`(SELECT coalesce(sum(c.errors), 0) ${counts})`.as('errors'),
    sql<number>`(SELECT coalesce(sum(c.critical_errors), 0) ${counts})`.as('critical'),
  ] as const;
}

/**
 * A site with a schedule, or a site that its owner keeps, is shown before its first report. For `EXISTS`, PostgreSQL would
 * read all schedules.
 */
export const isWithoutReports = sql<SqlBool>`(
  sites.is_kept OR coalesce((SELECT true FROM schedules WHERE site_id = sites.id LIMIT 1), false))`;

export const tagsOfSite = sql<string[]>`ARRAY(SELECT jsonb_array_elements_text(sites.definition->'tags'))`;

/** A report that is being re-checked has already ended. */
const ENDED = sql`AND finished_at IS NOT NULL`;

export function shownReports(filter: ReportCreators): RawBuilder<SqlBool> {
  return sql<SqlBool>`deleted_at IS NULL AND NOT temporary AND ${createdBy(filter)}`;
}

/** The sites of the accounts that created the reports. */
export function sitesOf({
  accountId,
  createdBy: creator = 'me',
  guestAccountIds,
}: ReportCreators): RawBuilder<SqlBool> {
  const guests = guestAccountsOf(accountId, guestAccountIds, 'guest_id');
  if (creator === 'me') return sql<SqlBool>`sites.account_id = ${accountId}`;
  const accounts = creator === 'guests' ? guests : sql`SELECT ${accountId}::uuid UNION ALL ${guests}`;
  return sql<SqlBool>`sites.account_id = ANY(ARRAY(${accounts}))`;
}

/** Selects the thumbnail of a site. */
function thumbnail(filter: SiteFilter): RawBuilder<SiteThumbnail | null> {
  return sql<SiteThumbnail | null>`(
    SELECT json_build_object('hash', encode(t.hash, 'hex'), 'width', t.width, 'height', t.height)
    FROM site_thumbnails t JOIN reports ON reports.id = t.report_id
    WHERE t.site_id = sites.id AND ${shownReports(filter)})`;
}

/** Selects the runs of a site with the counts of some kinds of check. */
function runs(filter: SiteFilter): RawBuilder<SiteRun[]> {
  return sql<SiteRun[]>`(
    SELECT coalesce(json_agg(${countsOfRun(filter.kinds)} || jsonb_build_object('report_id', run.id, 'status', run.status,
      'finished_at', run.finished_at, 'stopped', ${isCutShort(sql.ref('run.crawl_error'))},
      'num_failing', ${filter.seesAllKinds ? sql`run.num_failing` : sql`NULL::bigint`},
      'change', ${filter.seesAllKinds ? changeOfRun('run', 'end', filter.accountId, null) : sql`NULL::jsonb`})
      ORDER BY run.inserted_at DESC, run.id DESC), '[]')
    FROM (
      SELECT id, status, inserted_at, finished_at, ${RUN_COUNT_COLUMNS}, num_failing, guest_account_id, crawl_error FROM reports
      WHERE site_id = sites.id AND ${shownReports(filter)} ${ENDED} ORDER BY inserted_at DESC, id DESC LIMIT ${RUNS_MAX}
    ) run)`;
}
