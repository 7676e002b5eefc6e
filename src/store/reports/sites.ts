import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import type { Measure } from '../../../packages/client/standards.ts';
import { DEFAULT_DEFINITION, type ReportDefinition } from '../../domain/report-definition.ts';
import { ADVISORY_LOCKS } from '../../platform/advisory-locks.ts';
import { AppError } from '../../platform/errors.ts';
import type { Executor } from '../database.ts';
import { countRows } from '../listing.ts';
import { nextRunTime } from '../schedules/next-run-time.ts';
import type { Schema, SiteTable } from '../schema.ts';
import { storableJson } from '../storable.ts';
import { type ExaminedSettings, examinedBy, examinedWith } from './examined-settings.ts';

/** The settings of a new report, as a site keeps them for its next one. */
export interface SiteSettings {
  readonly definition: ReportDefinition;
  /** The credentials, sealed for a site by its id; null without any. */
  seal(siteId: string): Buffer | null;
  readonly signsIn: boolean;
  /** Whether the site keeps its own credentials. Default false. */
  readonly keepsAccess?: boolean;
}

/** The names of the settings of the standard that the request for a report or schedule does not set, so that its site decides. */
export type UnsetMeasure = readonly (keyof Measure)[];

/**
 * Finds the site of a new report, or creates it. Reports belong to the site with their starting URL, regardless of their other
 * settings. If several sites have that URL, the report belongs to the site that has its settings, or whose newest report had
 * them. If there is no such site, a new one is created. Locks the site until the end of the transaction, so that it is not
 * removed before it has a report.
 * @param unset settings that are not compared, because the request does not set them
 * @returns its id
 */
export async function siteFor(
  trx: Transaction<Schema>,
  accountId: string,
  settings: SiteSettings,
  unset: readonly (keyof Measure | 'signs_in')[] = [],
): Promise<string> {
  const { definition, signsIn } = settings;
  const address = sql<string>`regexp_replace(${definition.starting_url}::text, '^https?://', '')`;
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.siteAddresses}, hashtext(${accountId}::text || ${address}))`.execute(
    trx,
  );
  const sites = await trx
    .selectFrom('sites')
    .select(['id', 'definition', sql<boolean>`site_access IS NOT NULL`.as('signs_in')])
    .select(sql<ExaminedSettings | null>`${examinedBy(newestReport)}`.as('newest'))
    .where('account_id', '=', accountId)
    .where(sql<SqlBool>`md5(address) = md5(${address}) AND address = ${address}`)
    .where('deleted_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const given = JSON.parse(storableJson(examinedWith(definition, signsIn)));
  const set = (all: ExaminedSettings) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !unset.some((each) => each === name)));
  const isSame = (other: ExaminedSettings | null) => other !== null && isDeepStrictEqual(set(given), set(other));
  const same = sites.find(
    (site) => isSame(examinedWith({ ...DEFAULT_DEFINITION, ...site.definition }, site.signs_in)) || isSame(site.newest),
  );
  const found = same ?? (sites.length === 1 ? sites[0] : undefined);
  return found?.id ?? (await insertSite(trx, accountId, settings));
}

/** Selects the newest report of the row of `sites` that has not been deleted. */
const newestReport = sql`(
  SELECT n.id FROM reports n WHERE n.site_id = sites.id AND n.deleted_at IS NULL ORDER BY n.inserted_at DESC, n.id DESC LIMIT 1)`;

export interface SiteDetails {
  readonly name: string;
  readonly notes: string;
}

/** The details of a site that its owner creates. */
export interface NewSiteDetails extends SiteDetails {
  /** The file of `sync` that creates it. */
  readonly syncedFrom: string | null;
}

/** @param details given for a site that its owner creates; absent if its first report or schedule creates it */
export async function insertSite(
  trx: Transaction<Schema>,
  accountId: string,
  { definition, seal }: SiteSettings,
  details?: NewSiteDetails,
): Promise<string> {
  const { id } = await trx
    .insertInto('sites')
    .values({
      account_id: accountId,
      definition: storableJson(definition),
      ...(details !== undefined && { name: details.name, notes: details.notes, synced_from: details.syncedFrom }),
      is_kept: details !== undefined,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const sealed = seal(id);
  if (sealed !== null) await trx.updateTable('sites').set({ site_access: sealed }).where('id', '=', id).execute();
  return id;
}

/**
 * Returns the standard that a new report or schedule of a site is measured against.
 * @param given the settings in its request, or the settings to use if neither the request nor the site has any
 */
export async function measureAtSite(
  trx: Transaction<Schema>,
  id: string,
  { standard, best_practices }: Measure,
  unset: UnsetMeasure,
): Promise<Measure> {
  const given = { standard, best_practices };
  if (unset.length === 0) return given;
  const site = await trx.selectFrom('sites').select(['definition', 'is_kept']).where('id', '=', id).executeTakeFirst();
  if (site === undefined || leavesMeasureOpen(site)) return given;
  const own = { ...DEFAULT_DEFINITION, ...site.definition };
  return {
    standard: unset.includes('standard') ? own.standard : standard,
    best_practices: unset.includes('best_practices') ? own.best_practices : best_practices,
  };
}

/** Whether no one has chosen a standard for a site: it has none, and its owner neither created nor edited it. */
function leavesMeasureOpen({
  definition,
  is_kept: isKept,
}: {
  readonly definition: Partial<Measure>;
  readonly is_kept: boolean;
}): boolean {
  return !isKept && (definition.standard ?? null) === null;
}

/**
 * Brings a site into use for a new report. A site that its owner neither created nor edited takes the settings of the report. The
 * standard that the site is measured against stays, unless no one has chosen it.
 * @param settings the settings of the report; undefined for the report of a schedule
 */
export async function useSite(
  trx: Transaction<Schema>,
  id: string,
  settings: SiteSettings | undefined,
  unset: UnsetMeasure = [],
): Promise<void> {
  const site = await trx
    .updateTable('sites')
    .set({ archived_at: null })
    .where('id', '=', id)
    .returning(['is_kept', 'definition'])
    .executeTakeFirst();
  if (site?.is_kept !== false || settings === undefined) return;
  const { standard, best_practices } =
    leavesMeasureOpen(site) && unset.includes('standard')
      ? settings.definition
      : { ...DEFAULT_DEFINITION, ...site.definition };
  const definition = { ...settings.definition, standard, best_practices };
  await trx
    .updateTable('sites')
    .set({ definition: storableJson(definition), updated_at: sql`now()` })
    .$if(settings.keepsAccess !== true, (update) => update.set({ site_access: settings.seal(id) }))
    .where('id', '=', id)
    .execute();
}

/** What the owner of a site sets. */
export interface SiteChange extends SiteDetails {
  readonly definition: ReportDefinition;
  readonly isArchived: boolean;
  /** The sealed credentials; absent to keep the stored ones. */
  readonly access?: Buffer | null;
}

/** Changes a site, and marks it as kept by its owner. */
export async function updateSite(trx: Transaction<Schema>, id: string, change: SiteChange): Promise<void> {
  const { name, notes, definition, isArchived, access } = change;
  await trx
    .updateTable('sites')
    .set({
      ...{ name, notes, is_kept: true, definition: storableJson(definition) },
      archived_at: isArchived ? sql`coalesce(archived_at, now())` : null,
      updated_at: sql`now()`,
      ...(access !== undefined && { site_access: access }),
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Locks the schedules of a site. Their runs lock the schedule before the site, so this has to come first.
 * @returns their ids, with sealed credentials
 */
export async function lockSchedules(
  trx: Transaction<Schema>,
  id: string,
): Promise<readonly { readonly id: string; readonly site_access: Buffer | null }[]> {
  const schedules = trx.selectFrom('schedules').select(['id', 'site_access']).where('site_id', '=', id);
  return schedules.orderBy('id').forUpdate().execute();
}

/** Applies changed settings of a site to its schedules, except where a schedule has a value of its own. */
export async function changeSchedules(
  trx: Transaction<Schema>,
  id: string,
  before: ReportDefinition,
  now: ReportDefinition,
): Promise<void> {
  await sql`
    UPDATE schedules s SET definition = s.definition || f.changed, updated_at = now()
    FROM (
      SELECT s.id, jsonb_object_agg(n.key, n.value) AS changed
      FROM schedules s CROSS JOIN jsonb_each(${storableJson(now)}::jsonb) n JOIN jsonb_each(${storableJson(before)}::jsonb) b ON b.key = n.key
      WHERE s.site_id = ${id} AND n.value <> b.value
        AND coalesce(s.definition->n.key, ${JSON.stringify(DEFAULT_DEFINITION)}::jsonb->n.key) = b.value
      GROUP BY s.id
    ) f WHERE s.id = f.id`.execute(trx);
}

/** Replaces the sealed credentials of a schedule. */
export async function setScheduleAccess(trx: Transaction<Schema>, id: string, access: Buffer | null): Promise<void> {
  await trx.updateTable('schedules').set({ site_access: access }).where('id', '=', id).execute();
}

/** Hides a site that is being deleted, and removes its schedules and share links. */
export async function hideSite(trx: Transaction<Schema>, id: string): Promise<void> {
  await trx.updateTable('sites').set({ deleted_at: sql`now()`, site_access: null }).where('id', '=', id).execute();
  await trx.deleteFrom('schedules').where('site_id', '=', id).execute();
  await trx.deleteFrom('share_links').where('site_id', '=', id).execute();
}

export async function countSites(db: Executor, accountId: string): Promise<number> {
  return countRows(db.selectFrom('sites').where('account_id', '=', accountId).where('deleted_at', 'is', null));
}

/** Whether a report of a site has not ended. */
export async function isRunning(db: Executor, id: string): Promise<boolean> {
  const reports = db.selectFrom('reports').select('id').where('site_id', '=', id).where('finished_at', 'is', null);
  return (await reports.where('deleted_at', 'is', null).limit(1).execute()).length > 0;
}

/** Returns the ids of the reports of a site that have not been deleted. */
export async function reportsOfSite(db: Executor, id: string): Promise<string[]> {
  const reports = db.selectFrom('reports').select('id').where('site_id', '=', id).where('deleted_at', 'is', null);
  return (await reports.orderBy('id').execute()).map((report) => report.id);
}

export interface Site extends Omit<Selectable<SiteTable>, 'definition'> {
  readonly definition: ReportDefinition;
}

/** Returns a site that has not been deleted, and locks it until the transaction ends. */
export async function lockSite(trx: Transaction<Schema>, id: string): Promise<Site | undefined> {
  const row = await trx
    .selectFrom('sites')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && { ...row, definition: { ...DEFAULT_DEFINITION, ...row.definition } };
}

/**
 * Checks that a new report or schedule of an account can belong to a site, and locks the site.
 * @returns the site
 * @throws AppError invalid
 */
export async function requireSite(trx: Transaction<Schema>, accountId: string, id: string): Promise<Site> {
  const site = await lockSite(trx, id);
  if (site?.account_id !== accountId) throw new AppError('invalid', '“site_id” must be the id of one of your sites.');
  return site;
}

/**
 * Removes a site that has no reports anymore, not even deleted ones, unless its owner keeps it, has decided about its issues, or
 * schedules check it.
 */
export async function removeEmptySite(trx: Transaction<Schema>, siteId: string): Promise<void> {
  // The next statement sees the report of a transaction that held the lock.
  await trx.selectFrom('sites').select('id').where('id', '=', siteId).forUpdate().execute();
  await sql`
    DELETE FROM sites WHERE id = ${siteId} AND NOT EXISTS (SELECT FROM reports WHERE site_id = ${siteId})
      AND (deleted_at IS NOT NULL OR NOT is_kept AND NOT EXISTS (SELECT FROM schedules WHERE site_id = ${siteId})
        AND NOT EXISTS (SELECT FROM decisions WHERE site_id = ${siteId} AND deleted_at IS NULL))`.execute(trx);
}

/** Selects the next run of the row of `sites`. */
export function nextRunOfSite(scheduleTimeMs: number): RawBuilder<Date | null> {
  return sql<Date | null>`(SELECT min(${nextRunTime(scheduleTimeMs)}) FROM schedules WHERE site_id = sites.id)`;
}

/** Selects whether the deploy hook of a schedule runs the row of `sites`, and nothing else runs that schedule. */
export const isDeployed = sql<boolean>`EXISTS (
  SELECT FROM schedules s WHERE s.site_id = sites.id AND s.active AND s.next_run_at IS NULL)`;
