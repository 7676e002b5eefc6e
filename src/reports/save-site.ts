import { isDeepStrictEqual } from 'node:util';
import type { Transaction } from 'kysely';
import { type PlanLimits, withinPlan } from '../accounts/plans.ts';
import type { ReportDefinition } from '../domain/report-definition.ts';
import type { AccessOwner } from '../domain/secret-purposes.ts';
import { NO_ACCESS, type SiteAccess } from '../domain/site-access.ts';
import { AppError, notFound, requireRoom } from '../platform/errors.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { deleteReport } from '../store/reports/deletion.ts';
import { moveHistory, moveReport } from '../store/reports/merge-sites.ts';
import { settingsOf } from '../store/reports/reports.ts';
import { hasReportsElsewhere, requireNoRuleNames } from '../store/reports/retained-reports.ts';
import { acknowledge } from '../store/reports/site-attention.ts';
import {
  changeSchedules,
  countSites,
  hideSite,
  insertSite,
  isRunning,
  lockSchedules,
  lockSite,
  removeEmptySite,
  reportsOfSite,
  type Site,
  setScheduleAccess,
  updateSite,
} from '../store/reports/sites.ts';
import type { Schema } from '../store/schema.ts';
import { announceWork } from '../store/work-topics.ts';
import { createReport } from './create-report.ts';

/** Sites that an account may create. This does not limit reports of other sites. */
export const sitesMax = 10_000;

/** What the owner of a site can set. */
export interface SiteContents {
  readonly name: string;
  readonly notes: string;
  readonly isArchived: boolean;
  /** Whether the owner acknowledges what the last report found. */
  readonly acknowledges?: boolean;
  readonly definition: ReportDefinition;
  /** Credentials for the site; null keeps the stored ones. */
  readonly siteAccess: SiteAccess | null;
}

export interface NewSite extends SiteContents {
  /** The file of `sync` that creates it; null or absent for others. */
  readonly syncedFrom?: string | null;
}

/** The contents of a site before a change. */
export interface CurrentSite extends Omit<SiteContents, 'siteAccess' | 'acknowledges'> {
  readonly signsIn: boolean;
  /** @throws AppError conflict if the stored credentials cannot be decrypted */
  siteAccess(): SiteAccess;
}

interface SiteParts {
  readonly db: Executor;
  readonly credentialStore: CredentialStore;
}

/**
 * @returns the new site's id
 * @throws AppError invalid if the account has the maximum number of sites
 */
export function createSite({ db, credentialStore }: SiteParts, accountId: string, site: NewSite): Promise<string> {
  return inTransaction(db, async (trx) => {
    // The lock prevents two concurrent requests from exceeding the limit.
    await lockAccount(trx, accountId);
    requireRoom(await countSites(trx, accountId), sitesMax, 'sites');
    const settings = settingsOf(credentialStore, { ...site.definition, siteAccess: site.siteAccess ?? NO_ACCESS });
    const { name, notes, syncedFrom = null } = site;
    return insertSite(trx, accountId, settings, { name, notes, syncedFrom });
  });
}

/**
 * Changes a site. Its reports keep the settings that they were created with. Its schedules change with it, except where their
 * settings differ from the site's.
 * @returns whether it was different before
 */
export function changeSite(
  { db, credentialStore }: SiteParts,
  id: string,
  change: (current: CurrentSite) => SiteContents,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const schedules = await lockSchedules(trx, id);
    const site = await lockedSite(trx, id);
    const before = {
      ...{ name: site.name, notes: site.notes, isArchived: site.archived_at !== null, definition: site.definition },
    };
    const {
      siteAccess,
      acknowledges = false,
      ...contents
    } = change({
      ...before,
      signsIn: site.site_access !== null,
      siteAccess: () => accessOf(credentialStore, site),
    });
    const isAcknowledged = acknowledges && (await acknowledge(trx, id));
    // A site that its owner edits is kept, even if it already has these settings.
    const isEdit = !isDeepStrictEqual(contents, before) || !(site.is_kept || acknowledges);
    if (siteAccess === null && !isEdit) return isAcknowledged;
    await updateSite(trx, id, {
      ...contents,
      ...(siteAccess !== null && { access: credentialStore.seal(siteAccess, `site ${id}`) }),
    });
    await changeSchedules(trx, id, before.definition, contents.definition);
    const siteBefore = [site.site_access, `site ${id}`] as const;
    for (const schedule of siteAccess === null ? [] : schedules) {
      const owner = `schedule ${schedule.id}` as const;
      const access = followingAccess(credentialStore, siteBefore, siteAccess ?? NO_ACCESS, [
        schedule.site_access,
        owner,
      ]);
      if (access !== null) await setScheduleAccess(trx, schedule.id, credentialStore.seal(access, owner));
    }
    await announceWork(trx, ['schedule']);
    return isAcknowledged || siteAccess !== null || !isDeepStrictEqual(contents, before);
  });
}

/**
 * Creates a report with the settings of a site, as far as the plan allows them.
 * @param limits of the plan
 * @param whileRunning whether the site is also run while another of its reports has not ended
 * @returns the report's id
 * @throws AppError like `createReport`, and conflict if the stored credentials cannot be decrypted, or if the site is already
 *   being checked
 */
export function runSite(
  { db, credentialStore }: SiteParts,
  id: string,
  limits: PlanLimits,
  { whileRunning }: { readonly whileRunning: boolean },
): Promise<string> {
  return inTransaction(db, async (trx) => {
    const site = await lockedSite(trx, id);
    if (!whileRunning && (await isRunning(trx, id))) {
      throw new AppError('conflict', 'This site is already being checked. Run it again when the report has ended.');
    }
    const { account_id: accountId, definition } = site;
    const siteAccess = accessOf(credentialStore, site);
    return createReport(trx, credentialStore, {
      ...withinPlan(definition, limits),
      ...{ accountId, siteId: id, siteAccess },
      waitingReportsMax: limits.waiting_reports,
    });
  });
}

/**
 * Moves the reports and schedules of one site to another, and removes it.
 * @throws AppError invalid if the other site does not exist, or belongs to another account
 */
export async function mergeSite(db: Executor, id: string, into: string): Promise<void> {
  if (id === into) throw new AppError('invalid', '“into” must be the id of another of your sites.');
  await inTransaction(db, (trx) => lockBoth(trx, id, into));
  let isMerged = false;
  while (!isMerged) {
    // Each in a transaction of its own: there may be thousands. A request that is interrupted can be repeated.
    for (const report of await reportsOfSite(db, id)) await moveReport(db, report, into);
    isMerged = await inTransaction(db, async (trx) => {
      await lockSchedules(trx, id);
      await lockBoth(trx, id, into);
      if ((await reportsOfSite(trx, id)).length > 0) return false;
      await moveHistory(trx, id, into);
      return removeSite(trx, id);
    });
  }
}

/** Locks two sites in the order of their ids, so that two requests cannot wait for each other. */
async function lockBoth(trx: Transaction<Schema>, id: string, into: string): Promise<void> {
  const sites = new Map<string, Site | undefined>();
  for (const one of [id, into].toSorted()) sites.set(one, await lockSite(trx, one));
  const [site, other] = [sites.get(id), sites.get(into)];
  if (site === undefined) throw notFound('site');
  if (other?.account_id !== site.account_id) {
    throw new AppError('invalid', '“into” must be the id of another of your sites.');
  }
}

/**
 * Deletes a site with its reports and schedules. They are hidden once this resolves; rows are removed in the background. A
 * request that is interrupted can be repeated. Reports that appear in the meantime are deleted before the site is locked: with
 * several of them in one transaction, the credits of one and the lock of the next would be held in the wrong order.
 * @throws AppError conflict if a retention rule names a schedule of the site with reports of other sites, which stay
 */
export async function deleteSite(db: Executor, id: string): Promise<void> {
  await inTransaction(db, (trx) => requireNoRuleNames(trx, hasReportsElsewhere(id)));
  let isDeleted = false;
  while (!isDeleted) {
    for (const report of await reportsOfSite(db, id)) await deleteReport(db, report);
    isDeleted = await inTransaction(db, async (trx) => {
      await lockSchedules(trx, id);
      await lockedSite(trx, id);
      return (await reportsOfSite(trx, id)).length === 0 && (await removeSite(trx, id));
    });
  }
}

/** Removes a site without reports. A locked site gets no new reports. */
async function removeSite(trx: Transaction<Schema>, id: string): Promise<true> {
  await hideSite(trx, id);
  await removeEmptySite(trx, id);
  return true;
}

async function lockedSite(trx: Transaction<Schema>, id: string): Promise<Site> {
  const site = await lockSite(trx, id);
  if (site === undefined) throw notFound('site');
  return site;
}

type SealedAccess = readonly [sealed: Buffer | null, owner: AccessOwner];

/**
 * Returns the credentials of a schedule after a change of its site: credentials and secrets of journeys follow the site, each if
 * they were the same as the site's.
 * @returns null if they stay as they are, or cannot be decrypted
 */
function followingAccess(
  { open }: CredentialStore,
  siteBefore: SealedAccess,
  siteNow: SiteAccess,
  schedule: SealedAccess,
): SiteAccess | null {
  try {
    const { journeys: siteJourneys = [], ...site } = open(...siteBefore);
    const { journeys: ownJourneys = [], ...own } = open(...schedule);
    const { journeys: newJourneys = [], ...now } = siteNow;
    const [follows, journeysFollow] = [isDeepStrictEqual(own, site), isDeepStrictEqual(ownJourneys, siteJourneys)];
    if (!(follows || journeysFollow)) return null;
    const journeys = journeysFollow ? newJourneys : ownJourneys;
    return { ...(follows ? now : own), ...(journeys.length > 0 && { journeys }) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return null;
  }
}

function accessOf(credentialStore: CredentialStore, { id, site_access: sealed }: Site): SiteAccess {
  return credentialStore.open(sealed, `site ${id}`);
}
