import { type Client, type Item, randomKey } from '../../../packages/client/client.ts';
import { ApiError, isStatus } from '../../../packages/client/errors.ts';
import { passesInMs, patiently } from '../../../packages/client/patience.ts';
import type { NewMutingAttributes, NewScheduleAttributes, NewSiteAttributes } from '../../../packages/client/schema.ts';
import { listDevices } from '../../browser/devices.ts';
import { REPORT_ATTRIBUTES } from '../../checks/check-attributes.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { FilePlace } from '../configuration-file/read-yaml.ts';
import type { MutingStep, ScheduleStep, SiteStep, SyncPlan } from './plan-sync.ts';

/** How often a request is attempted. */
const ATTEMPTS = 6;

export interface Applying {
  readonly client: Client;
  /** The settings of new sites that the file does not have. */
  readonly defaults: JsonObject;
  readonly stopped: AbortSignal;
  /** Called after a step is done. */
  onDone(step: SiteStep | MutingStep): void;
  onDoneSchedule(step: ScheduleStep, site: SiteStep): void;
  /** Called with the reason why a step was refused. The steps after it are done. */
  onRefused(place: FilePlace, reason: string): void;
}

/** Does what a plan says: mutings first, so that they apply to the first reports. Stops between two steps. */
export async function applySync(plan: SyncPlan, applying: Applying): Promise<void> {
  const { client, stopped, onDone, onDoneSchedule } = applying;
  const attempt = async <Result>(place: FilePlace, run: () => Promise<Result>): Promise<Result | null> => {
    if (stopped.aborted) return null;
    try {
      return await patiently(
        run,
        (error, number) => passesInMs(error, { attempt: number, attempts: ATTEMPTS }),
        stopped,
      );
    } catch (error) {
      if (error instanceof ApiError) applying.onRefused(place, error.message);
      else if (!stopped.aborted) throw error;
      return null;
    }
  };
  for (const step of plan.mutings) {
    if (step.existing !== null && step.changes.length === 0) onDone(step);
    else if ((await attempt(step.wanted.place, saveMuting(client, step))) !== null) onDone(step);
  }
  for (const step of plan.sites) {
    const site = await attempt(step.wanted.place, saveSite(client, step, applying.defaults));
    if (site === null) continue;
    onDone(step);
    for (const schedule of step.schedules) {
      const isDone = await attempt(schedule.wanted.place, saveSchedule(client, schedule, site));
      if (isDone !== null) onDoneSchedule(schedule, step);
    }
  }
}

/** Returns a function that saves a site, and may be called again. Unchanged sites send nothing. */
function saveSite(client: Client, step: SiteStep, defaults: JsonObject): () => Promise<Item<'site'>> {
  const { wanted, existing } = step;
  const key = randomKey();
  return async () => {
    if (existing !== null) {
      const change = givenOf(step);
      return Object.keys(change).length === 0 ? existing : client.change<'site'>(`/sites/${existing.id}`, change);
    }
    const { archived, ...given } = wanted.given;
    const attributes = { ...defaults, ...given } as unknown as NewSiteAttributes;
    const site = await client.create<'site'>('/sites', attributes, key);
    return archived === true ? client.change<'site'>(`/sites/${site.id}`, { archived }) : site;
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
      // With another starting URL, it would otherwise move to another site.
      return client.change<'schedule'>(`/schedules/${existing.id}`, { ...change, site_id: site.id });
    }
    const attributes = { ...settingsOf(site), ...wanted.given, site_id: site.id };
    return client.create<'schedule'>('/schedules', attributes as unknown as NewScheduleAttributes, key);
  };
}

/** Mutings cannot be changed. The new one is created before the old one is removed, so that nothing counts in between. */
function saveMuting(client: Client, { wanted, existing }: MutingStep): () => Promise<Item<'muting'>> {
  const key = randomKey();
  return async () => {
    const kept = existing && {
      comment: existing.comment,
      // Times of the API are in UTC and have no zone.
      ...(existing.expires_at !== null && { expires_at: `${existing.expires_at}Z` }),
    };
    const attributes = { ...kept, ...wanted.given } as unknown as NewMutingAttributes;
    const muting = await client.create<'muting'>('/mutings', attributes, key);
    if (existing !== null) {
      await client.remove(`/mutings/${existing.id}`).catch((error: unknown) => {
        if (!isStatus(error, 404)) throw error;
      });
    }
    return muting;
  };
}

/** Returns the values that change, as requests have them. */
function givenOf({ wanted, changes }: SiteStep | ScheduleStep): JsonObject {
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
