import { type PlanLimits, withinPlan } from '../accounts/plans.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { type CurrentSite, changeSite, deleteSite, type SiteContents } from '../reports/save-site.ts';
import { inSavepoint, inTransaction, withoutEffect } from '../store/database.ts';
import { contentsOfSites, type SiteContentCounts } from '../store/reports/site-list.ts';
import { lockSite } from '../store/reports/sites.ts';
import { type ScheduleSettings, schedulesOfSite, startTimeOf } from '../store/schedules/schedules.ts';
import { createSchedule, type ScheduleParts } from './save-schedule.ts';
import { isSameTiming } from './schedule-time.ts';

/** A site that was left as it is, with the reason. */
export interface RefusedSite {
  readonly siteId: string;
  readonly error: AppError;
}

/** What became of several sites: each is in one of the lists. */
export interface SiteUpdates {
  readonly changed: readonly string[];
  /** Sites that already were as wanted. */
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

/**
 * Changes sites, each in a transaction of its own, so that a refused site does not prevent the others, and so that reports that
 * end at the same time hardly wait. A repeated request finds the changed sites unchanged.
 * @param options `limits` of the plan; `isRehearsal`: changes nothing, and returns what would happen
 */
export function updateSites(
  parts: ScheduleParts,
  siteIds: readonly string[],
  update: SiteUpdate,
  { limits, isRehearsal }: { readonly limits: PlanLimits; readonly isRehearsal: boolean },
): Promise<SiteUpdates> {
  if (isRehearsal) return withoutEffect(parts.db, (trx) => updateEach({ ...parts, db: trx }, siteIds, update, limits));
  return updateEach(parts, siteIds, update, limits);
}

async function updateEach(
  parts: ScheduleParts,
  siteIds: readonly string[],
  update: SiteUpdate,
  limits: PlanLimits,
): Promise<SiteUpdates> {
  const changed: string[] = [];
  const unchanged: string[] = [];
  const refused: RefusedSite[] = [];
  for (const siteId of siteIds) {
    try {
      const isChanged = await inTransaction(parts.db, (trx) =>
        inSavepoint(trx, () => updateSite({ ...parts, db: trx }, siteId, update, limits)),
      );
      (isChanged ? changed : unchanged).push(siteId);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ siteId, error });
    }
  }
  return { changed, unchanged, refused };
}

/** @returns whether anything changed */
async function updateSite(
  parts: ScheduleParts,
  siteId: string,
  { change, schedule }: SiteUpdate,
  limits: PlanLimits,
): Promise<boolean> {
  const isChanged = change !== null && (await changeSite(parts, siteId, change));
  const isScheduled = schedule !== null && (await scheduleSite(parts, siteId, schedule, limits));
  return isChanged || isScheduled;
}

/** Creates a schedule with the settings and credentials of a site, unless it has one with the same times. */
function scheduleSite(parts: ScheduleParts, siteId: string, times: NewTimes, limits: PlanLimits): Promise<boolean> {
  const { db, credentialStore } = parts;
  return inTransaction(db, async (trx) => {
    const site = await lockSite(trx, siteId);
    if (site === undefined) throw notFound('site');
    if (site.archived_at !== null)
      throw new AppError('conflict', 'This site is archived, so its schedules do not run.');
    const { account_id: accountId, definition, site_access: sealed } = site;
    const schedules = await schedulesOfSite(trx, siteId);
    const isSame = schedules.some(
      (schedule) =>
        schedule.account_id === accountId && isSameTiming(times, { ...schedule, startTime: startTimeOf(schedule) }),
    );
    if (isSame) return false;
    await createSchedule({ ...parts, db: trx }, accountId, {
      ...times,
      definition: withinPlan(definition, limits),
      siteId,
      siteAccess: sealed === null ? null : credentialStore.open(sealed, `site ${siteId}`),
    });
    return true;
  });
}

/** What deletions remove, or would remove. */
export interface SiteDeletions extends SiteUpdates {
  readonly removed: SiteContentCounts;
}

/**
 * Deletes sites with their reports and schedules. A request that is interrupted can be repeated.
 * @param options `reportsMax` of one request: the sites after that are refused
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
      const message = `One request deletes up to ${reportsMax} reports with their sites. Repeat it for this site.`;
      refused.push({ siteId, error: new AppError('conflict', message) });
      continue;
    }
    removed.reports += reports;
    removed.pages += pages;
    removed.schedules += schedules;
    if (!isRehearsal) await deleteSite(db, siteId);
    changed.push(siteId);
  }
  return { changed, unchanged: [], refused, removed };
}
