import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction, type Updateable } from 'kysely';
import type { Periodicity } from '../../../packages/client/periodicity.ts';
import type { FailOn } from '../../domain/fail-on.ts';
import type { HookSignature } from '../../domain/hook-signatures.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import type { SiteAccess } from '../../domain/site-access.ts';
import type { KeptSecret } from '../../platform/kept-secret.ts';
import { isInUse } from '../accounts/account-states.ts';
import { lockAccount } from '../accounts/accounts.ts';
import { type Executor, inTransaction } from '../database.ts';
import { changeOfReport, type ShownChange } from '../diffs/shown-change.ts';
import {
  contains,
  countRows,
  type Direction,
  type ListPage,
  listPage,
  type PageRequest,
  type TagFilter,
  taggedWith,
} from '../listing.ts';
import { isCutShort } from '../reports/reports.ts';
import { requireNoRuleNames } from '../reports/retained-reports.ts';
import { removeEmptySite, type UnsetMeasure } from '../reports/sites.ts';
import type { ReportStatus, ScheduleTable, Schema } from '../schema.ts';
import { nextRunTime } from './next-run-time.ts';

/** The settings of a schedule that its owner chooses. */
export interface ScheduleSettings {
  readonly definition: ReportDefinition;
  /** Null: it runs only when its deploy hook is called. */
  readonly periodicity: Periodicity | null;
  readonly startTime: StartTime;
  readonly active: boolean;
  /** What makes a run of the schedule fail. */
  readonly failOn: readonly FailOn[];
  /** Null: the URL of the deploy hook is enough; absent keeps the stored value. */
  readonly hookSigning?: HookSigning | null | undefined;
  /** The site of a new schedule; the site with its starting URL if absent. */
  readonly siteId?: string | undefined;
  /** The settings that the site of a new schedule decides. Default: none. */
  readonly unset?: UnsetMeasure;
  /** Credentials for the website; null keeps the stored ones. */
  readonly siteAccess: SiteAccess | null;
}

/** When a schedule runs on its days. */
export interface StartTime {
  /** `07:30`; null for the time of the installation, which is in UTC. */
  readonly timeOfDay: string | null;
  /** The time zone of `timeOfDay`. */
  readonly timeZone: string;
  /** Whether it starts at its own minute of the hour after that time. */
  readonly isSpread: boolean;
}

export const START_TIME_DEFAULT: StartTime = { timeOfDay: null, timeZone: 'UTC', isSpread: false };

/** How calls of a deploy hook must be signed. */
export interface HookSigning {
  readonly signature: HookSignature;
  readonly secret: string;
  /** Whether this service created the secret, so that it has to be shown to the owner. */
  readonly isMade: boolean;
}

export interface Schedule extends Selectable<ScheduleTable> {
  readonly definition: ReportDefinition;
}

/** A report that a schedule created. */
export interface ScheduleRun {
  readonly report_id: string;
  readonly status: ReportStatus;
  /** With a time zone; null until it has finished. */
  readonly finished_at: string | null;
  /** Whether it ended before it was complete. */
  readonly stopped: boolean;
  /** Issues and unchecked pages that its `fail_on` counts; null without a verdict. */
  readonly num_failing: number | null;
  /** The changes since the previous report; null before they are compared, or if there is no previous report. */
  readonly change: ShownChange | null;
}

/** A schedule with the results of its reports. */
export interface ScheduleWithRun extends Schedule {
  /** Its newest report; null without one. */
  readonly last_run: ScheduleRun | null;
  /** Empty if its owner gave it no name. */
  readonly site_name: string;
}

export interface ScheduleFilter {
  readonly accountId: string;
  /** Part of the starting URL. */
  readonly url?: string | undefined;
  /** Part of the name of the site or of the starting URL. */
  readonly text?: string | undefined;
  readonly tags?: TagFilter | undefined;
  readonly isActive?: boolean | undefined;
  readonly siteId?: string | undefined;
  /** The start time of schedules without a time of day, to sort by next run; in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
}

export const SCHEDULE_SORT_KEYS = ['next_run_at', 'starting_url'] as const;

export interface ScheduleOrder {
  readonly key: (typeof SCHEDULE_SORT_KEYS)[number];
  readonly direction: Direction;
}

const SORTS = {
  next_run_at: nextRunTime,
  starting_url: () => sql`(definition->>'starting_url') COLLATE "C"`,
} as const satisfies Record<ScheduleOrder['key'], (scheduleTimeMs: number) => RawBuilder<unknown>>;

export interface NewSchedule {
  readonly accountId: string;
  readonly siteId: string;
  readonly hook: KeptSecret;
}

/** Inserts a schedule without a next run, which can depend on its id. */

export async function insertSchedule(db: Executor, settings: ScheduleSettings, schedule: NewSchedule): Promise<string> {
  const { id } = await db
    .insertInto('schedules')
    .values({
      account_id: schedule.accountId,
      site_id: schedule.siteId,
      hook_hash: schedule.hook.hash,
      hook_sealed: schedule.hook.sealed,
      ...settingsColumns(settings),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function countSchedules(db: Executor, accountId: string): Promise<number> {
  return countRows(db.selectFrom('schedules').where('account_id', '=', accountId));
}

/**
 * Returns a page of an account's schedules. Ties are broken by age, newest first. When sorted by next run, schedules without one
 * come last.
 */
export async function listSchedules(
  db: Executor,
  filter: ScheduleFilter,
  orders: readonly ScheduleOrder[],
  page: PageRequest,
): Promise<ListPage<ScheduleWithRun>> {
  let list = db.selectFrom('schedules').where('account_id', '=', filter.accountId);
  if (filter.url !== undefined) list = list.where(contains(sql`definition->>'starting_url'`, filter.url));
  if (filter.text !== undefined) {
    const name = sql`(SELECT name FROM sites WHERE id = schedules.site_id)`;
    list = list.where(contains(sql`concat_ws(' ', ${name}, definition->>'starting_url')`, filter.text));
  }
  if (filter.tags !== undefined) list = list.where(taggedWith(tags, filter.tags));
  if (filter.isActive !== undefined) list = list.where('active', '=', filter.isActive);
  if (filter.siteId !== undefined) list = list.where('site_id', '=', filter.siteId);
  const { total, rows } = await listPage(list, page, (schedules) => {
    let ids = schedules.select('id');
    for (const { key, direction } of orders)
      ids = ids.orderBy(SORTS[key](filter.scheduleTimeMs), (order) => order[direction]().nullsLast());
    return ids.orderBy('id', 'desc');
  });
  const shown = await showSchedules(
    db,
    rows.map(({ id }) => id),
  );
  return { total, rows: shown };
}

/** Returns a schedule with its newest report. */
export async function showSchedule(db: Executor, id: string): Promise<ScheduleWithRun | undefined> {
  return (await showSchedules(db, [id]))[0];
}

/** @returns the schedules in the order of the ids */
async function showSchedules(db: Executor, ids: readonly string[]): Promise<ScheduleWithRun[]> {
  const rows = await db
    .selectFrom('schedules as s')
    .selectAll('s')
    .select(lastRun.as('last_run'))
    .select(nameOfSite.as('site_name'))
    .where(sql<SqlBool>`s.id = ANY(${[...ids]}::uuid[])`)
    .orderBy(sql`array_position(${[...ids]}::uuid[], s.id)`)
    .execute();
  return rows.map((row) => ({ ...row, ...withDefaults(row) }));
}

/** Selects the name of the site of the row `s` of `schedules`. */
const nameOfSite = sql<string>`(SELECT name FROM sites WHERE id = s.site_id)`;

/** Selects the newest report of the row `s` of `schedules`. */
const lastRun = sql<ScheduleRun | null>`(
  SELECT jsonb_build_object('report_id', r.id, 'status', r.status, 'finished_at', r.finished_at, 'stopped', ${isCutShort(sql.ref('r.crawl_error'))},
    'num_failing', r.num_failing, 'change', ${changeOfReport(sql`r.id`)})
  FROM reports r WHERE r.schedule_id = s.id AND r.deleted_at IS NULL
  ORDER BY r.inserted_at DESC, r.id DESC LIMIT 1)`;

const tags = sql<string[]>`ARRAY(SELECT jsonb_array_elements_text(definition->'tags'))`;

export async function findSchedule(db: Executor, id: string): Promise<Schedule | undefined> {
  const row = await db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
  return row && withDefaults(row);
}

export async function schedulesOfSite(db: Executor, siteId: string): Promise<Schedule[]> {
  const rows = await db.selectFrom('schedules').selectAll().where('site_id', '=', siteId).orderBy('id').execute();
  return rows.map(withDefaults);
}

/** Returns the schedule and locks it until the transaction ends. */
export async function lockSchedule(trx: Transaction<Schema>, id: string): Promise<Schedule | undefined> {
  const row = await trx.selectFrom('schedules').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  return row && withDefaults(row);
}

/** Selects whether the row of `schedules` may run: its site is not archived, and its account is in use. */
export const mayRun = sql<SqlBool>`NOT EXISTS (
  SELECT FROM sites WHERE sites.id = schedules.site_id AND sites.archived_at IS NOT NULL)
  AND ${isInUse(sql.ref('schedules.account_id'))}`;

/** Locks and returns the schedule that has been due longest. Skips schedules that another process has locked. */
export async function lockDueSchedule(
  trx: Transaction<Schema>,
  { now, scheduleTimeMs }: { readonly now: Date; readonly scheduleTimeMs: number },
  leftOut: readonly string[],
): Promise<Schedule | undefined> {
  const time = nextRunTime(scheduleTimeMs);
  const row = await trx
    .selectFrom('schedules')
    .selectAll()
    // Never later than `time`, and has an index.
    .where('next_run_at', '<=', now)
    .where(time, '<=', now)
    .where(mayRun)
    .where(sql<SqlBool>`id <> ALL(${[...leftOut]}::uuid[])`)
    .orderBy(time)
    .orderBy('id')
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row && withDefaults(row);
}

/** Returns the time of the next run of any schedule after a moment; null if there is none. */
export async function nextRunAfter(db: Executor, moment: Date, scheduleTimeMs: number): Promise<Date | null> {
  const time = nextRunTime(scheduleTimeMs);
  const row = await db
    .selectFrom('schedules')
    .select(sql<Date | null>`min(${time})`.as('time'))
    .where(time, '>', moment)
    .where(mayRun)
    .executeTakeFirst();
  return row?.time ?? null;
}

/** Returns when the schedule that has been due longest became due; null if none is due. */
export async function longestDue(db: Executor, scheduleTimeMs: number): Promise<Date | null> {
  const time = nextRunTime(scheduleTimeMs);
  const row = await db
    .selectFrom('schedules')
    .select(sql<Date | null>`min(${time})`.as('time'))
    .where('next_run_at', '<=', sql<Date>`now()`)
    .where(time, '<=', sql<Date>`now()`)
    .where(mayRun)
    .executeTakeFirst();
  return row?.time ?? null;
}

export async function updateSettings(
  db: Executor,
  id: string,
  settings: ScheduleSettings,
  nextRunAt: Date | null,
): Promise<void> {
  const changes = { ...settingsColumns(settings), next_run_at: nextRunAt };
  await updateSchedule(db, id, { ...changes, updated_at: sql<Date>`now()` as never });
}

export async function updateSchedule(db: Executor, id: string, changes: Updateable<ScheduleTable>): Promise<void> {
  await db.updateTable('schedules').set(changes).where('id', '=', id).execute();
}

/**
 * Returns the last report that the deploy hook created, if that was less than `maxMs` ago by the database's clock. Ignores a call
 * that seems to be in the future because the clock was set back. The schedule has to be locked: the time of the statement counts,
 * not the start of the transaction.
 */
export async function reportOfHookCall(trx: Transaction<Schema>, id: string, maxMs: number): Promise<string | null> {
  const row = await trx
    .selectFrom('schedules')
    .select('hook_report_id')
    .where('id', '=', id)
    .where(sql<SqlBool>`hook_called_at <= clock_timestamp()`)
    .where(sql<SqlBool>`hook_called_at > clock_timestamp() - make_interval(secs => ${maxMs / 1_000})`)
    .executeTakeFirst();
  return row?.hook_report_id ?? null;
}

/** Records that the deploy hook created a report now. */
export async function recordHookCall(trx: Transaction<Schema>, id: string, reportId: string): Promise<void> {
  await updateSchedule(trx, id, { hook_called_at: sql<Date>`clock_timestamp()` as never, hook_report_id: reportId });
}

/**
 * Deletes a schedule, and its site if nothing else needs it.
 * @throws AppError conflict if a retention rule names the schedule
 */
export async function deleteSchedule(
  db: Executor,
  { id, account_id: accountId, site_id: siteId }: Pick<Schedule, 'id' | 'account_id' | 'site_id'>,
): Promise<void> {
  await inTransaction(db, async (trx) => {
    // The lock keeps rules from being saved.
    await lockAccount(trx, accountId);
    await requireNoRuleNames(trx, sql`s.id = ${id}`);
    await trx.deleteFrom('schedules').where('id', '=', id).execute();
    await removeEmptySite(trx, siteId);
  });
}

function settingsColumns({ definition, periodicity, startTime, active, failOn }: ScheduleSettings) {
  return {
    definition: JSON.stringify(definition),
    periodicity: periodicity === null ? null : JSON.stringify(periodicity),
    time_of_day: startTime.timeOfDay,
    time_zone: startTime.timeZone,
    spread: startTime.isSpread,
    active,
    fail_on: [...failOn],
  };
}

/** Returns when a schedule runs on its days. */
export function startTimeOf(schedule: Pick<Schedule, 'time_of_day' | 'time_zone' | 'spread'>): StartTime {
  return { timeOfDay: schedule.time_of_day, timeZone: schedule.time_zone, isSpread: schedule.spread };
}

/** Adds the defaults of attributes that are newer than the schedule. */
function withDefaults(row: Selectable<ScheduleTable>): Schedule {
  return { ...row, definition: { ...DEFAULT_DEFINITION, ...row.definition } };
}
