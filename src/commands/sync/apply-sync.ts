import { type Client, type Item, randomKey } from '../../../packages/client/client.ts';
import { ApiError, isStatus } from '../../../packages/client/errors.ts';
import { passesInMs, patiently } from '../../../packages/client/patience.ts';
import type {
  NewMutingAttributes,
  NewNotificationChannelAttributes,
  NewScheduleAttributes,
  NewSiteAttributes,
} from '../../../packages/client/schema.ts';
import { listDevices } from '../../browser/devices.ts';
import { REPORT_ATTRIBUTES } from '../../checks/check-attributes.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { FilePlace } from '../configuration-file/read-yaml.ts';
import type { ChannelStep, MutingStep, Pruning, ScheduleStep, SiteStep, SyncPlan } from './plan-sync.ts';
import { siteTitle } from './print-sync.ts';

/** Maximum number of attempts at a request. */
const ATTEMPTS = 6;

export interface Applying {
  readonly client: Client;
  /** The settings of new sites that the file does not have. */
  readonly defaults: JsonObject;
  readonly stopped: AbortSignal;
  readonly pruning: Pruning;
  /** Called after a step is done. */
  onDone(step: SiteStep | MutingStep | ChannelStep): void;
  onDoneSchedule(step: ScheduleStep, site: SiteStep): void;
  onPruned(site: Item<'site'>): void;
  /** Called with the reason why a step was refused. The steps after it are done, but nothing is pruned. */
  onRefused(place: FilePlace | null, reason: string): void;
}

type Attempt = <Result>(place: FilePlace | null, run: () => Promise<Result>, what?: string) => Promise<Result | null>;

/**
 * Does what a plan says: mutings and channels first, so that they apply to the first reports, and pruning last, if nothing was
 * refused. Stops between two steps.
 */
export async function applySync(plan: SyncPlan, applying: Applying): Promise<void> {
  const { client, stopped, onDone, pruning } = applying;
  let isRefused = false;
  const attempt: Attempt = async (place, run, what = '') => {
    if (stopped.aborted) return null;
    try {
      return await patiently(
        run,
        (error, number) => passesInMs(error, { attempt: number, attempts: ATTEMPTS }),
        stopped,
      );
    } catch (error) {
      if (error instanceof ApiError) applying.onRefused(place, what + error.message);
      else if (!stopped.aborted) throw error;
      isRefused = true;
      return null;
    }
  };
  for (const step of plan.mutings) await applyMuting(client, step, attempt, onDone);
  for (const step of plan.channels) {
    if (isUnchanged(step) || (await attempt(step.wanted.place, saveChannel(client, step))) !== null) onDone(step);
  }
  for (const step of plan.sites) await applySite(step, applying, attempt);
  for (const site of isRefused ? [] : plan.pruned) {
    const path = `/sites/${site.id}`;
    const remove = async (): Promise<true> => {
      if (pruning.how === 'delete') await client.remove(path);
      else await client.change<'site'>(path, { archived: true });
      return true;
    };
    if ((await attempt(null, remove, `${siteTitle(site.name, site.starting_url)}: `)) !== null) applying.onPruned(site);
  }
}

function isUnchanged({ existing, changes }: Pick<MutingStep, 'existing' | 'changes'> | ChannelStep): boolean {
  return existing !== null && changes.length === 0;
}

async function applySite(step: SiteStep, applying: Applying, attempt: Attempt): Promise<void> {
  const { client, onDone, onDoneSchedule } = applying;
  const { wanted, existing, schedules } = step;
  const { place } = wanted;
  const site = await attempt(
    place,
    saveSite(client, step, applying),
    schedules.length === 0 ? '' : 'The site and its schedules were not saved: ',
  );
  if (site === null) return;
  onDone(step);
  for (const schedule of schedules) {
    const isDone = await attempt(schedule.wanted.place, saveSchedule(client, schedule, site));
    if (isDone !== null) onDoneSchedule(schedule, step);
  }
  if (existing !== null || wanted.given['archived'] !== true) return;
  const archive = () => client.change<'site'>(`/sites/${site.id}`, { archived: true });
  await attempt(place, archive, 'The site was created, but not archived: ');
}

/** Returns a function that saves a site, and may be called again. Sends no request for unchanged sites. */
function saveSite(client: Client, step: SiteStep, { defaults, pruning }: Applying): () => Promise<Item<'site'>> {
  const { wanted, existing } = step;
  const key = randomKey();
  return async () => {
    if (existing !== null) {
      const change = givenOf(step);
      return Object.keys(change).length === 0 ? existing : client.change<'site'>(`/sites/${existing.id}`, change);
    }
    const { archived: _, ...given } = wanted.given;
    const attributes = { ...defaults, ...given, synced_from: pruning.source } as unknown as NewSiteAttributes;
    return client.create<'site'>('/sites', attributes, key);
  };
}

/** The same for a notification channel, whose kind and address cannot be changed. */
function saveChannel(client: Client, step: ChannelStep): () => Promise<Item<'notification_channel'>> {
  const { wanted, existing } = step;
  const { kind, email } = wanted;
  const key = randomKey();
  return () => {
    if (existing !== null) return client.change(`/notification_channels/${existing.id}`, givenOf(step));
    const attributes = { ...wanted.given, kind, ...(email !== null && { email }) };
    return client.create('/notification_channels', attributes as unknown as NewNotificationChannelAttributes, key);
  };
}

/** The same for a schedule. A new one has the settings of its site. */
function saveSchedule(client: Client, step: ScheduleStep, site: Item<'site'>): () => Promise<Item<'schedule'>> {
  const { wanted, existing } = step;
  const key = randomKey();
  return async () => {
    const change = givenOf(step);
    if (existing !== null) {
      if (Object.keys(change).length === 0) return existing;
      // Without `site_id`, another starting URL would move the schedule to another site.
      return client.change<'schedule'>(`/schedules/${existing.id}`, { ...change, site_id: site.id });
    }
    const attributes = { ...settingsOf(site), ...wanted.given, site_id: site.id };
    return client.create<'schedule'>('/schedules', attributes as unknown as NewScheduleAttributes, key);
  };
}

/**
 * Mutings cannot be changed. The new one is created before the old one is removed, so that muted issues never count in between.
 */
async function applyMuting(
  client: Client,
  step: MutingStep,
  attempt: Attempt,
  onDone: (step: MutingStep) => void,
): Promise<void> {
  const { wanted, existing } = step;
  const { place } = wanted;
  if (isUnchanged(step)) return onDone(step);
  const key = randomKey();
  const kept = existing && {
    comment: existing.comment,
    retroactive: existing.retroactive,
    // Times in the API are in UTC and have no zone.
    ...(existing.expires_at !== null && { expires_at: `${existing.expires_at}Z` }),
  };
  const attributes = { ...kept, ...wanted.given } as unknown as NewMutingAttributes;
  if ((await attempt(place, () => client.create<'muting'>('/mutings', attributes, key))) === null) return;
  onDone(step);
  if (existing === null) return;
  const remove = async (): Promise<void> => {
    await client.remove(`/mutings/${existing.id}`).catch((error: unknown) => {
      if (!isStatus(error, 404)) throw error;
    });
  };
  await attempt(place, remove, 'The changed muting was created, but the old one still exists: ');
}

/** Returns the values that change, as requests have them. */
function givenOf({ wanted, changes }: SiteStep | ScheduleStep | ChannelStep): JsonObject {
  const names = changes.map(({ name }) => (name === 'device' ? 'device_id' : name));
  return Object.fromEntries(names.map((name) => [name, wanted.given[name]]));
}

/** Returns the settings that a site shows, as requests have them. */
function settingsOf(site: Item<'site'>): JsonObject {
  const names = Object.keys(REPORT_ATTRIBUTES);
  const shown = Object.entries(site).filter(([name]) => names.includes(name));
  const device = listDevices().find(({ name }) => name === site.device);
  return { ...Object.fromEntries(shown), ...(device !== undefined && { device_id: device.id }) };
}
