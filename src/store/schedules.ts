import { type Selectable, type SqlBool, sql, type Transaction, type Updateable } from 'kysely';
import type { Periodicity } from '../domain/periodicity.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../domain/report-definition.ts';
import type { SiteAccess } from '../domain/site-access.ts';
import type { KeptSecret } from '../platform/kept-secret.ts';
import type { Executor } from './database.ts';
import { contains, type ListPage, listPage, type PageRequest, type TagFilter, taggedWith } from './listing.ts';
import type { ScheduleTable, Schema } from './schema.ts';

/** What its owner decides about a schedule. */
export interface ScheduleSettings {
  readonly definition: ReportDefinition;
  /** Null for a schedule that runs only by its deploy hook. */
  readonly periodicity: Periodicity | null;
  readonly active: boolean;
  /** What signs in to the site; null leaves what there is. */
  readonly siteAccess: SiteAccess | null;
}

export interface Schedule extends Selectable<ScheduleTable> {
  readonly definition: ReportDefinition;
}

export interface ScheduleFilter {
  readonly accountId: string;
  /** Part of the starting URL. */
  readonly url?: string | undefined;
  readonly tags?: TagFilter | undefined;
}

export interface NewSchedule {
  readonly accountId: string;
  readonly hook: KeptSecret;
  readonly nextRunAt: Date | null;
}

export async function insertSchedule(db: Executor, settings: ScheduleSettings, schedule: NewSchedule): Promise<string> {
  const { id } = await db
    .insertInto('schedules')
    .values({
      account_id: schedule.accountId,
      hook_hash: schedule.hook.hash,
      hook_sealed: schedule.hook.sealed,
      ...settingsColumns(settings, schedule.nextRunAt),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function countSchedules(db: Executor, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('schedules')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return count;
}

/** A page of an account's schedules, newest first. */
export async function listSchedules(
  db: Executor,
  filter: ScheduleFilter,
  page: PageRequest,
): Promise<ListPage<Schedule>> {
  let list = db.selectFrom('schedules').where('account_id', '=', filter.accountId);
  if (filter.url !== undefined) list = list.where(contains(sql`definition->>'starting_url'`, filter.url));
  if (filter.tags !== undefined) list = list.where(taggedWith(tags, filter.tags));
  const { total, rows } = await listPage(list, page, (schedules) => schedules.selectAll().orderBy('id', 'desc'));
  return { total, rows: rows.map(whole) };
}

const tags = sql<string[]>`ARRAY(SELECT jsonb_array_elements_text(definition->'tags'))`;

export async function findSchedule(db: Executor, id: string): Promise<Schedule | undefined> {
  const row = await db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
  return row && whole(row);
}

/** The schedule, locked against every other change until the transaction ends. */
export async function lockSchedule(trx: Transaction<Schema>, id: string): Promise<Schedule | undefined> {
  const row = await trx.selectFrom('schedules').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
  return row && whole(row);
}

/** The schedule that should have run first, locked; passes over those that another process is at, or that are left out. */
export async function lockDueSchedule(
  trx: Transaction<Schema>,
  now: Date,
  leftOut: readonly string[],
): Promise<Schedule | undefined> {
  const row = await trx
    .selectFrom('schedules')
    .selectAll()
    .where('next_run_at', '<=', now)
    .where(sql<SqlBool>`id <> ALL(${[...leftOut]}::uuid[])`)
    .orderBy('next_run_at')
    .orderBy('id')
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row && whole(row);
}

/** When the next schedule after a moment runs; null when none will. */
export async function nextRunAfter(db: Executor, moment: Date): Promise<Date | null> {
  const row = await db
    .selectFrom('schedules')
    .select((eb) => eb.fn.min<Date | null>('next_run_at').as('time'))
    .where('next_run_at', '>', moment)
    .executeTakeFirst();
  return row?.time ?? null;
}

export async function updateSettings(
  db: Executor,
  id: string,
  settings: ScheduleSettings,
  nextRunAt: Date | null,
): Promise<void> {
  await updateSchedule(db, id, { ...settingsColumns(settings, nextRunAt), updated_at: sql<Date>`now()` as never });
}

export async function updateSchedule(db: Executor, id: string, changes: Updateable<ScheduleTable>): Promise<void> {
  await db.updateTable('schedules').set(changes).where('id', '=', id).execute();
}

/**
 * The report that the deploy hook made last, if that is less than `maxMs` ago by the database's clock, which all processes
 * have in common. A call that seems to come from the future, because the clock was set back, is too long ago. To be
 * called under the schedule's lock: the time is looked at now, and not when the transaction began.
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

/** Notes that the deploy hook has made a report now. */
export async function noteHookCall(trx: Transaction<Schema>, id: string, reportId: string): Promise<void> {
  await updateSchedule(trx, id, { hook_called_at: sql<Date>`clock_timestamp()` as never, hook_report_id: reportId });
}

export async function deleteSchedule(db: Executor, id: string): Promise<void> {
  await db.deleteFrom('schedules').where('id', '=', id).execute();
}

function settingsColumns({ definition, periodicity, active }: ScheduleSettings, nextRunAt: Date | null) {
  return {
    definition: JSON.stringify(definition),
    periodicity: periodicity === null ? null : JSON.stringify(periodicity),
    active,
    next_run_at: nextRunAt,
  };
}

/** An attribute of reports that came after the schedule has its default. */
function whole(row: Selectable<ScheduleTable>): Schedule {
  return { ...row, definition: { ...DEFAULT_DEFINITION, ...row.definition } };
}
