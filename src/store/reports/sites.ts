import { type Expression, type RawBuilder, sql, type Transaction } from 'kysely';
import type { CheckKind } from '../../domain/check.ts';
import { REPORT_COLUMNS } from '../../domain/report-attributes.ts';
import type { ReportColumns } from '../../domain/report-definition.ts';
import type { Executor } from '../database.ts';
import { nextRunTime } from '../schedules/next-run-time.ts';
import type { Schema } from '../schema.ts';
import { storable } from '../storable.ts';

/** What decides which pages and checks a report has. */
export interface SiteSettings {
  readonly columns: ReportColumns;
  /** The enabled kinds of checks, in any order. */
  readonly checks: readonly CheckKind[];
  /** Whether the report has site credentials. Their values do not matter: they may be renewed. */
  readonly signsIn: boolean;
}

/** The settings that distinguish sites with the same starting URL. */
const SHOWN = [
  ...(['max_pages', 'deep_crawl', 'prefer_canonical_urls', 'respect_robots_txt', 'dynamic_crawler'] as const),
  ...(['initial_urls', 'inclusions', 'exclusions', 'device_id', 'device_rotated', 'wait_for'] as const),
] satisfies readonly (keyof ReportColumns)[];

export interface ShownSettings extends Pick<ReportColumns, (typeof SHOWN)[number]> {
  readonly checks: readonly CheckKind[];
  readonly signs_in: boolean;
}

/** Selects the settings of the site of a report. @param reportId its id */
export function settingsOfReport(reportId: Expression<unknown>): RawBuilder<ShownSettings> {
  const columns = SHOWN.map((name) => sql`${sql.lit(name)}, ${sql.ref(`r.${name}`)}`);
  return sql<ShownSettings>`(
    SELECT jsonb_build_object(${sql.join(columns)}, 'signs_in', r.site_access IS NOT NULL, 'checks', ARRAY(
      SELECT c.kind FROM report_checks c WHERE c.report_id = r.id ORDER BY c.position))
    FROM reports r WHERE r.id = ${reportId})`;
}

/** The settings that identify a site, with their defaults. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    Object.entries(REPORT_COLUMNS).flatMap(([name, attribute]) =>
      attribute.isOfSite ? [[name, attribute.default]] : [],
    ),
  ),
  checks: [],
  signs_in: false,
};

/**
 * Selects the key of a site: a hash of its settings. Those with their default value are left out, so that a setting that is added
 * later leaves existing sites alone. The hash is of the text that PostgreSQL makes of an object, which must never change.
 * @param settings an object with all settings of `DEFAULTS`; others are ignored. The kinds of checks are in alphabetical order.
 */
function siteKey(settings: RawBuilder<unknown>): RawBuilder<Buffer> {
  const differing = Object.entries(DEFAULTS).map(([name, value]) => {
    const setting = sql.lit(name);
    return sql`${setting}, nullif(given.settings -> ${setting}, ${sql.lit(JSON.stringify(value))}::jsonb)`;
  });
  return sql<Buffer>`(
    SELECT sha256(convert_to(jsonb_strip_nulls(jsonb_build_object(${sql.join(differing)}))::text, 'UTF8'))
    FROM (SELECT ${settings} AS settings OFFSET 0) given)`;
}

/**
 * Returns the id of the account's site with these settings; creates it if there is none. Locks it until the end of the
 * transaction, so that it is not removed before it has a report.
 */
export async function siteFor(
  trx: Transaction<Schema>,
  accountId: string,
  { columns, checks, signsIn }: SiteSettings,
): Promise<string> {
  const settings = { ...columns, checks: [...checks].sort(), signs_in: signsIn };
  // PostgreSQL replaces lone surrogates in texts but refuses them in JSON.
  const json = JSON.stringify(settings, (_, value) => (typeof value === 'string' ? storable(value) : value));
  const { id } = await trx
    .insertInto('sites')
    .values({
      account_id: accountId,
      key: siteKey(sql`${json}::jsonb`),
      starting_url: columns.starting_url,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'key']).doUpdateSet({ starting_url: sql`excluded.starting_url` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Removes a site that has no reports any more, not even deleted ones. */
export async function removeEmptySite(trx: Transaction<Schema>, siteId: string): Promise<void> {
  // The next statement sees the report of a transaction that held the lock.
  await trx.selectFrom('sites').select('id').where('id', '=', siteId).forUpdate().execute();
  const reports = trx.selectFrom('reports').select('id').where('site_id', '=', siteId);
  await trx
    .deleteFrom('sites')
    .where('id', '=', siteId)
    .where(({ not, exists }) => not(exists(reports)))
    .execute();
}

/** The report with which to compare a report. */
export interface PreviousReport {
  readonly id: string;
  readonly guest_account_id: string | null;
}

/**
 * The finished reports of the same site, as `before`, that were created before the row of `reports`, newest first. A report that
 * is being re-checked counts as finished.
 */
const reportsOfSiteBefore = sql`
  FROM reports before
  WHERE before.site_id = reports.site_id AND (before.inserted_at, before.id) < (reports.inserted_at, reports.id)
    AND before.finished_at IS NOT NULL AND before.status <> 'failed' AND before.deleted_at IS NULL
  ORDER BY before.inserted_at DESC, before.id DESC`;

/** Selects the report with which to compare the row of `reports`. */
export const previous = sql<PreviousReport | null>`(
  SELECT jsonb_build_object('id', before.id, 'guest_account_id', before.guest_account_id) ${reportsOfSiteBefore} LIMIT 1)`;

/** Finds the report with which to compare a report. */
export async function previousReport(db: Executor, reportId: string): Promise<PreviousReport | undefined> {
  const reports = db.selectFrom('reports').select(previous.as('previous')).where('id', '=', reportId);
  return (await reports.executeTakeFirst())?.previous ?? undefined;
}

/** Returns the ids of the latest reports before a report with which it could be compared. */
export async function reportsBefore(db: Executor, reportId: string, limit: number): Promise<readonly string[]> {
  const ids = sql<string[]>`ARRAY(SELECT before.id ${reportsOfSiteBefore} LIMIT ${limit})`;
  const reports = db.selectFrom('reports').select(ids.as('ids')).where('id', '=', reportId);
  return (await reports.executeTakeFirst())?.ids ?? [];
}

/** Selects the key of the site of the row of `schedules`, which the statement calls `s`. */
const keyOfSchedule = siteKey(sql`
  ${JSON.stringify(DEFAULTS)}::jsonb || s.definition || jsonb_build_object(
    'checks', (SELECT coalesce(jsonb_agg(kind ORDER BY kind COLLATE "C"), '[]')
      FROM jsonb_array_elements_text(s.definition->'checks') kind),
    'signs_in', s.site_access IS NOT NULL)`);

/** Selects the id of the site that the row `s` of `schedules` checks; null before its first report. */
export const siteOfSchedule = sql<string | null>`(
  SELECT sites.id FROM sites WHERE sites.account_id = s.account_id AND sites.key = ${keyOfSchedule})`;

/**
 * Selects from the schedules with the settings of the row of `sites`. Without `OFFSET 0`, PostgreSQL may walk through the
 * schedules of all accounts in the order of their next runs.
 */
const schedulesOfSite = (condition: RawBuilder<unknown>) => sql`(
    SELECT s.next_run_at, s.time_of_day FROM schedules s
    WHERE s.account_id = sites.account_id AND md5(s.definition->>'starting_url') = md5(sites.starting_url)
      AND ${condition} AND sites.key = ${keyOfSchedule}
    OFFSET 0) of_site`;

/** Selects the next run of the row of `sites`: the next run of a schedule with its settings. */
export function nextRunOfSite(scheduleTimeMs: number): RawBuilder<Date | null> {
  return sql<Date | null>`(
  SELECT min(${nextRunTime(scheduleTimeMs)}) FROM ${schedulesOfSite(sql`s.next_run_at IS NOT NULL`)})`;
}

/** Selects whether the deploy hook of a schedule runs the row of `sites`, and nothing else runs that schedule. */
export const isDeployed = sql<boolean>`EXISTS (SELECT FROM ${schedulesOfSite(sql`s.active AND s.next_run_at IS NULL`)})`;
