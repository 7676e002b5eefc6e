import type { Client, Item } from '../../../packages/client/client.ts';
import { isStatus } from '../../../packages/client/errors.ts';
import type { NewMutingAttributes, NewScheduleAttributes } from '../../../packages/client/schema.ts';
import { NEW_SCHEDULE_ATTRIBUTES } from '../../api/resources/new-schedule.ts';
import { findDevice, listDevices } from '../../browser/devices.ts';

/** What an account of another service has and this one has not, as requests that create it. */
export interface ApiImport {
  readonly schedules: readonly NewScheduleAttributes[];
  readonly mutings: readonly NewMutingAttributes[];
  /** Schedules and mutings that are here already. */
  readonly present: number;
  /** What has no place, and what to do instead: a sentence each. */
  readonly remarks: readonly string[];
}

/** The attributes of a schedule that are set otherwise. */
const NOT_COPIED = ['periodicity', 'device_id', 'deploy_hook_signature', 'deploy_hook_signing_secret'];
const COPIED = Object.keys(NEW_SCHEDULE_ATTRIBUTES.properties).filter((name) => !NOT_COPIED.includes(name));

/**
 * Reads what can be taken from a service with this API.
 * @param remote that service, which may have fewer attributes
 * @param own this one
 * @throws ApiError, OfflineError
 */
export async function readService(remote: Client, own: Client): Promise<ApiImport> {
  const remarks: string[] = [];
  const known = new Set([
    ...(await everything(own, 'schedule', remarks)).map(keyOfSchedule),
    ...(await everything(own, 'muting', remarks)).map(keyOfMuting),
  ]);
  const schedules = await everything(remote, 'schedule', remarks);
  const mutings = await everything(remote, 'muting', remarks);
  const newSchedules = schedules.filter((schedule) => !known.has(keyOfSchedule(schedule)));
  const missing = mutings.filter((muting) => !known.has(keyOfMuting(muting)));
  const newMutings = missing.filter(({ expired }) => expired !== true);
  const present = schedules.length + mutings.length - newSchedules.length - missing.length;
  for (const { message } of missing.filter(({ expired }) => expired === true)) {
    remarks.push(`The muting of "${message}" has no place: it has expired.`);
  }
  const taken: NewScheduleAttributes[] = [];
  for (const schedule of newSchedules) taken.push(await scheduleFrom(schedule, remote, remarks));
  const { total } = await remote.readList<'report'>('/reports', { query: { 'page[size]': 1 } });
  if (total > 0) remarks.push('Reports have no place: results stay where they are. Schedules create new ones here.');
  return { schedules: taken, mutings: newMutings.map(mutingFrom), present, remarks };
}

/** Returns all resources of a type; none if the plan of the account does not include them. */
async function everything<Type extends 'schedule' | 'muting'>(
  api: Client,
  type: Type,
  remarks: string[],
): Promise<Item<Type>[]> {
  try {
    return await Array.fromAsync(api.readAll<Type>(`/${type}s`));
  } catch (error) {
    if (!isStatus(error, 403)) throw error;
    remarks.push(`The ${type}s cannot be read: ${error instanceof Error ? error.message : ''}`);
    return [];
  }
}

function keyOfSchedule({ starting_url: url, periodicity, tags }: Item<'schedule'>): string {
  return JSON.stringify(['schedule', URL.parse(url)?.href ?? url, periodicity, [...(tags ?? [])].sort()]);
}

function keyOfMuting({ url_match: url, message }: Item<'muting'>): string {
  return JSON.stringify(['muting', url.toLowerCase(), message.toLowerCase()]);
}

function mutingFrom({ url_match, message, comment, expires_at: expires }: Item<'muting'>): NewMutingAttributes {
  // Times of the API are in UTC and have no zone.
  return { url_match, message, comment: comment ?? '', ...(expires && { expires_at: `${expires}Z` }) };
}

async function scheduleFrom(
  schedule: Item<'schedule'>,
  remote: Client,
  remarks: string[],
): Promise<NewScheduleAttributes> {
  const { starting_url: url, periodicity, related } = schedule;
  const given = Object.entries(schedule).filter(([name, value]) => COPIED.includes(name) && value !== null);
  if (schedule.signs_in === true) {
    remarks.push(
      `The credentials of ${url} have no place: no service shows them. Set basic_auth, headers or cookies here.`,
    );
  }
  if ((schedule.deploy_hook_signature ?? null) !== null) {
    remarks.push(
      `The signature of the deploy hook of ${url} has no place: set deploy_hook_signature here, with a new secret.`,
    );
  }
  const device = await deviceAt(related.device, remote);
  if (device === undefined) {
    remarks.push(`The device of ${url} has no place: there is none of this name here. The default device is taken.`);
  }
  return {
    ...Object.fromEntries(given),
    starting_url: url,
    periodicity: periodicity ?? { every: 'deploy' },
    ...(device !== undefined && device !== null && { device_id: device }),
  };
}

/** Returns the id here of a device there, which has the same name; null for the default one, undefined if there is none. */
async function deviceAt(path: string | undefined, remote: Client): Promise<string | null | undefined> {
  const id = /\/devices\/([^/?]+)$/.exec(path ?? '')?.[1];
  if (path === undefined || id === undefined || id === 'default') return null;
  const here = findDevice(id);
  if (here !== undefined) return here.id;
  const { name } = await remote.read<'device'>(path);
  return listDevices().find((device) => device.name.toLowerCase() === name.toLowerCase())?.id;
}
