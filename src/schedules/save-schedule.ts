import type { Transaction } from 'kysely';
import type { HookSignature } from '../domain/hook-signatures.ts';
import { hookSigningPurpose } from '../domain/secret-purposes.ts';
import { NO_ACCESS, type SiteAccess } from '../domain/site-access.ts';
import { AppError, notFound, requireRoom } from '../platform/errors.ts';
import { keepSecret, newSecret } from '../platform/kept-secret.ts';
import { lockAccount } from '../store/accounts/accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { settingsOf } from '../store/reports/reports.ts';
import { findSiteLogin } from '../store/reports/site-login.ts';
import { measureAtSite, removeEmptySite, requireSite, type Site, siteFor } from '../store/reports/sites.ts';
import {
  countSchedules,
  insertSchedule,
  lockSchedule,
  type ScheduleSettings,
  startTimeOf,
  updateSchedule,
  updateSettings,
} from '../store/schedules/schedules.ts';
import type { Schema } from '../store/schema.ts';
import { announceWork } from '../store/work-topics.ts';
import { isSameTiming, type ScheduleTime, storedNextRun } from './schedule-time.ts';

/** Maximum number of schedules of one account: more than anyone needs, and few enough to run on one day. */
export const schedulesMax = 1_000;

/** What creating and changing schedules requires. */
export interface ScheduleParts extends ScheduleTime {
  readonly db: Executor;
  readonly credentialStore: CredentialStore;
}

/**
 * @param settings if the starting URL is empty, the schedule takes the URL of its site
 * @returns the new schedule's id
 * @throws AppError invalid if the account has the maximum number of schedules, if the settings name no site of the account, or
 *   if their starting URL is not the URL of the site
 */
export function createSchedule(parts: ScheduleParts, accountId: string, settings: ScheduleSettings): Promise<string> {
  const { db, credentialStore } = parts;
  return inTransaction(db, async (trx) => {
    // The lock prevents two concurrent requests from exceeding the limit.
    await lockAccount(trx, accountId);
    await requireRoomForSchedule(trx, accountId);
    const hook = keepSecret(credentialStore.box, newSecret());
    const site = settings.siteId === undefined ? null : await requireSite(trx, accountId, settings.siteId);
    const { starting_url: url } = settings.definition;
    if (url !== '') requireUrlOf(site, url);
    const siteId = site?.id ?? (await siteWithUrl(trx, credentialStore, accountId, settings));
    const measure = await measureAtSite(trx, siteId, settings.definition, settings.unset ?? []);
    const definition = { ...settings.definition, starting_url: url || (site?.starting_url ?? ''), ...measure };
    const id = await insertSchedule(trx, { ...settings, definition }, { accountId, siteId, hook });
    await updateSchedule(trx, id, { next_run_at: firstRun(id, settings, parts) });
    await setSiteAccess(trx, credentialStore, id, {
      ...settings,
      siteAccess: settings.siteAccess ?? (await findSiteLogin(trx, credentialStore, siteId, definition.starting_url)),
    });
    await setHookSigning(trx, credentialStore, id, settings);
    await announceWork(trx, ['schedule']);
    return id;
  });
}

/**
 * @param more schedules that count although they have not been created
 * @throws AppError invalid if the account has the maximum number of schedules
 */
export async function requireRoomForSchedule(db: Executor, accountId: string, more = 0): Promise<void> {
  requireRoom((await countSchedules(db, accountId)) + more, schedulesMax, 'schedules');
}

/** The settings of a schedule before a change. */
export interface CurrentSettings extends Omit<ScheduleSettings, 'siteAccess' | 'hookSigning'> {
  readonly hookSignature: HookSignature | null;
  readonly signsIn: boolean;
  /** @throws AppError conflict if the stored credentials cannot be decrypted */
  siteAccess(): SiteAccess;
}

export interface ScheduleChange {
  /** The site that the schedule will belong to; undefined for its current site, or the site with its new starting URL. */
  readonly siteId: string | undefined;
  /** @param siteUrl the starting URL of the site to which the schedule moves, unless the change has another one */
  apply(current: CurrentSettings, siteUrl: string | undefined): ScheduleSettings;
}

/**
 * Changes a schedule. The next run changes only with its days, time or activation, so that correcting a tag does not skip a run
 * that is due.
 * @returns the settings after the change
 * @throws AppError invalid if the site does not belong to the account, or does not have the starting URL
 */
export function changeSchedule(parts: ScheduleParts, id: string, change: ScheduleChange): Promise<ScheduleSettings> {
  return inTransaction(parts.db, async (trx) => {
    const current = await lockSchedule(trx, id);
    if (current === undefined) throw notFound('schedule');
    const { definition, periodicity, active, fail_on: failOn, site_access: sealed } = current;
    const siteAccess = () => parts.credentialStore.open(sealed, `schedule ${id}`);
    const secrets = { hookSignature: current.hook_signature, signsIn: sealed !== null, siteAccess };
    const startTime = startTimeOf(current);
    const site = change.siteId === undefined ? null : await requireSite(trx, current.account_id, change.siteId);
    const moves = site !== null && site.id !== current.site_id;
    const before = { definition, periodicity, startTime, active, failOn, ...secrets };
    const settings = change.apply(before, moves ? site.starting_url : undefined);
    const { starting_url: url } = settings.definition;
    const hasNewUrl = url !== definition.starting_url;
    if (moves || hasNewUrl) requireUrlOf(site, url);
    const isSame = settings.active === active && isSameTiming(settings, { periodicity, startTime });
    await updateSettings(trx, id, settings, isSame ? current.next_run_at : firstRun(id, settings, parts));
    if (moves || (site === null && hasNewUrl)) {
      const siteId = site?.id ?? (await siteWithUrl(trx, parts.credentialStore, current.account_id, settings));
      await updateSchedule(trx, id, { site_id: siteId });
      await removeEmptySite(trx, current.site_id);
    }
    await setSiteAccess(trx, parts.credentialStore, id, settings);
    await setHookSigning(trx, parts.credentialStore, id, settings);
    await announceWork(trx, ['schedule']);
    return settings;
  });
}

/** Returns the site with the starting URL of a schedule. */
function siteWithUrl(
  trx: Transaction<Schema>,
  credentialStore: CredentialStore,
  accountId: string,
  { definition, siteAccess, unset }: ScheduleSettings,
): Promise<string> {
  const settings = settingsOf(credentialStore, { ...definition, siteAccess: siteAccess ?? NO_ACCESS });
  // A schedule without credentials of its own takes the login of the site.
  return siteFor(trx, accountId, settings, siteAccess === null ? [...(unset ?? []), 'signs_in'] : unset);
}

/** A schedule with the URL of another site would fill its history with results of that site. The scheme does not matter. */
function requireUrlOf(site: Site | null, url: string): void {
  if (site === null || url.replace(/^https?:\/\//, '') === site.address) return;
  const own = site.starting_url;
  const detail = `“starting_url” must be the starting URL of the site, ${own}. Omit it to use the URL of the site.`;
  throw new AppError('invalid', detail);
}

/** Stores how calls to the deploy hook must be signed, if the settings define it. */
async function setHookSigning(
  trx: Executor,
  { box }: CredentialStore,
  id: string,
  { hookSigning }: ScheduleSettings,
): Promise<void> {
  if (hookSigning === undefined) return;
  await updateSchedule(trx, id, {
    hook_signature: hookSigning?.signature ?? null,
    hook_signing_sealed: hookSigning && box.seal(hookSigning.secret, hookSigningPurpose(id)),
  });
}

/** Stores the credentials, if the settings contain any. */
async function setSiteAccess(
  trx: Executor,
  credentialStore: CredentialStore,
  id: string,
  { siteAccess }: ScheduleSettings,
): Promise<void> {
  if (siteAccess !== null)
    await updateSchedule(trx, id, { site_access: credentialStore.seal(siteAccess, `schedule ${id}`) });
}

/** Returns the first run after a schedule was created or changed; null if it does not run by itself. */
function firstRun(id: string, settings: ScheduleSettings, time: ScheduleTime): Date | null {
  return settings.active ? storedNextRun(id, settings, time) : null;
}
