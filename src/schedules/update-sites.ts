import type { Transaction } from 'kysely';
import { type PlanLimits, withinPlan } from '../accounts/plans.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { type CurrentSite, changeSite, deleteSite, type SiteContents } from '../reports/save-site.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { inSavepoint, inTransaction, withoutEffect } from '../store/database.ts';
import { contentsOfSites, type SiteContentCounts } from '../store/reports/selected-sites.ts';
import { lockSite } from '../store/reports/sites.ts';
import { type ScheduleSettings, schedulesOfSite, startTimeOf } from '../store/schedules/schedules.ts';
import type { Schema } from '../store/schema.ts';
import { createSchedule, requireRoomForSchedule, type ScheduleParts } from './save-schedule.ts';
import { isSameTiming } from './schedule-time.ts';

/** A site whose change was refused, with the reason. */
export interface RefusedSite {
  readonly siteId: string;
  readonly error: AppError;
}

/** The result for several sites: each is in one of the lists. */
export interface SiteUpdates {
  readonly changed: readonly string[];
  /** Sites that already had these settings. */
  readonly unchanged: readonly string[];
  readonly refused: readonly RefusedSite[];
}

/** A schedule that each site gets, with the settings of the site. */
export type NewTimes = Omit<ScheduleSettings, 'definition' | 'siteAccess' | 'siteId' | 'hookSigning'>;

export interface SiteUpdate {
  /** Null if only a schedule is wanted. */
  readonly change: ((current: CurrentSite) => SiteContents) | null;
  /** Null if only a change is wanted. */
  readonly schedule: NewTimes | null;
}

/** The account whose sites are changed. */
interface Owner {
  readonly accountId: string;
  /** The limits of the account's plan. */
  readonly limits: PlanLimits;
}

/**
 * Changes sites, each in a transaction of its own, so that a refused site does not affect the others, and reports that end at the
 * same time hardly have to wait. If a request is repeated, sites that it has already changed count as unchanged.
 * @param options their owner; `isRehearsal`: changes nothing, and returns what would happen
 */
export async function updateSites(
  parts: ScheduleParts,
  siteIds: readonly string[],
  update: SiteUpdate,
  { isRehearsal, ...owner }: Owner & { readonly isRehearsal: boolean },
): Promise<SiteUpdates> {
  const changed: string[] = [];
  const unchanged: string[] = [];
  const refused: RefusedSite[] = [];
  const runOne = isRehearsal ? withoutEffect : inTransaction;
  let rehearsed = 0;
  for (const siteId of siteIds) {
    try {
      const { isChanged, isScheduled } = await runOne(parts.db, (trx) =>
        inSavepoint(trx, () => updateSite(trx, parts, siteId, update, { ...owner, rehearsed })),
      );
      if (isRehearsal && isScheduled) rehearsed += 1;
      (isChanged || isScheduled ? changed : unchanged).push(siteId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ siteId, error });
    }
  }
  return { changed, unchanged, refused };
}

interface Updating extends Owner {
  /** The number of schedules that a rehearsal has created and rolled back. They count toward the limit. */
  readonly rehearsed: number;
}

async function updateSite(
  trx: Transaction<Schema>,
  outer: ScheduleParts,
  siteId: string,
  { change, schedule }: SiteUpdate,
  updating: Updating,
): Promise<{ readonly isChanged: boolean; readonly isScheduled: boolean }> {
  const parts = { ...outer, db: trx };
  // New schedules and share links lock the account before the site.
  if (schedule !== null) await lockAccount(trx, updating.accountId);
  const isChanged = change !== null && (await changeSite(parts, siteId, change));
  const isScheduled = schedule !== null && (await scheduleSite(parts, siteId, schedule, updating));
  return { isChanged, isScheduled };
}

/** Creates a schedule with the settings and credentials of a site, unless it has one with the same times. */
async function scheduleSite(
  parts: ScheduleParts & { readonly db: Transaction<Schema> },
  siteId: string,
  times: NewTimes,
  { accountId, limits, rehearsed }: Updating,
): Promise<boolean> {
  const { db, credentialStore } = parts;
  const site = await lockSite(db, siteId);
  if (site === undefined) throw notFound('site');
  if (site.archived_at !== null) throw new AppError('conflict', 'This site is archived, so its schedules do not run.');
  const { definition, site_access: sealed } = site;
  const schedules = await schedulesOfSite(db, siteId);
  const isSame = schedules.some(
    (schedule) =>
      schedule.account_id === accountId && isSameTiming(times, { ...schedule, startTime: startTimeOf(schedule) }),
  );
  if (isSame) return false;
  if (rehearsed > 0) await requireRoomForSchedule(db, accountId, rehearsed);
  await createSchedule(parts, accountId, {
    ...times,
    definition: withinPlan(definition, limits),
    siteId,
    siteAccess: sealed === null ? null : credentialStore.open(sealed, `site ${siteId}`),
  });
  return true;
}

/** What deletions remove, or would remove. */
export interface SiteDeletions extends SiteUpdates {
  readonly removed: SiteContentCounts;
}

/**
 * Deletes sites with their reports and schedules. A request that is interrupted can be repeated.
 * @param options `reportsMax`: how many reports one request deletes. Sites beyond that are refused, except for the first
 */
export async function deleteSites(
  { db }: Pick<ScheduleParts, 'db'>,
  siteIds: readonly string[],
  { reportsMax, isRehearsal }: { readonly reportsMax: number; readonly isRehearsal: boolean },
): Promise<SiteDeletions> {
  const contents = await contentsOfSites(db, siteIds);
  const changed: string[] = [];
  const refused: RefusedSite[] = [];
  const removed = { reports: 0, pages: 0, schedules: 0 };
  for (const siteId of siteIds) {
    const { reports = 0, pages = 0, schedules = 0 } = contents.get(siteId) ?? {};
    if (changed.length > 0 && removed.reports + reports > reportsMax) {
      const message = `One request can delete at most ${reportsMax} reports along with their sites. Send another request for this site.`;
      refused.push({ siteId, error: new AppError('conflict', message) });
      continue;
    }
    try {
      if (!isRehearsal) await deleteSite(db, siteId);
    } catch (error) {
      // Another request may have deleted the site.
      if (!(error instanceof AppError)) throw error;
      refused.push({ siteId, error });
      continue;
    }
    removed.reports += reports;
    removed.pages += pages;
    removed.schedules += schedules;
    changed.push(siteId);
  }
  return { changed, unchanged: [], refused, removed };
}
