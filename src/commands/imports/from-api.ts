import type { Client, Item } from '../../../packages/client/client.ts';
import { isStatus } from '../../../packages/client/errors.ts';
import type { NewMutingAttributes, NewScheduleAttributes } from '../../../packages/client/schema.ts';
import { plural } from '../../domain/amounts.ts';
import { createFindDevice, type DeviceMatch } from './devices.ts';
import { textsOf } from './imported.ts';
import { copied, readSites, type SitesThere, type SiteThere } from './reports.ts';

/** The resources of an account of another service that this account lacks, as requests that create them. */
export interface ApiImport {
  readonly schedules: readonly NewScheduleAttributes[];
  readonly mutings: readonly NewMutingAttributes[];
  /** The sites of its reports; null if they were not requested. */
  readonly sites: SitesThere | null;
  /** Schedules and mutings that already exist here. */
  readonly present: number;
  /** The devices of the schedules. */
  readonly devices: readonly DeviceMatch[];
  /** What is not imported, and what to do instead: a sentence each. */
  readonly remarks: readonly string[];
}

export interface Reading {
  /** The number of sites of reports to import; null to read no reports. */
  readonly reportsMax: number | null;
  /** Called with the number of reports read so far. */
  onProgress(reports: number): void;
}

/**
 * Reads everything that can be imported from a service with this API.
 * @param remote that service, which may have fewer attributes
 * @param own this service
 * @throws ApiError, OfflineError
 */
export async function readService(
  remote: Client,
  own: Client,
  { reportsMax, onProgress }: Reading,
): Promise<ApiImport> {
  const remarks: string[] = [];
  const findDevice = createFindDevice(remote);
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
    remarks.push(`The muting of "${message}" is not imported: it has expired.`);
  }
  const taken: NewScheduleAttributes[] = [];
  const devices = new Set<DeviceMatch>();
  for (const schedule of newSchedules) {
    const device = await findDevice(schedule.related.device);
    if (device !== null) devices.add(device);
    taken.push(scheduleFrom(schedule, device));
    remarks.push(...remarksOn(schedule));
  }
  const sites =
    reportsMax === null ? null : await readSites({ remote, own, findDevice, schedules, remarks, onProgress });
  for (const site of sites?.sites.slice(0, reportsMax ?? 0) ?? []) {
    remarks.push(...(await boundMutingsRemark(remote, site, new Set(mutings.map(({ id }) => id)))));
  }
  const hasReports = async (): Promise<boolean> =>
    (await remote.readList('/reports', { query: { 'page[size]': 1 } })).items.length > 0;
  if (sites === null && (await hasReports()))
    remarks.push('Reports are not imported. To check their sites here, add --reports.');
  return { schedules: taken, mutings: newMutings.map(mutingFrom), sites, present, devices: [...devices], remarks };
}

/** Reports that `check` created have their own mutings, from a configuration file. @param ids of the account's mutings */
async function boundMutingsRemark(
  remote: Client,
  { reportId, attributes }: SiteThere,
  ids: ReadonlySet<string>,
): Promise<readonly string[]> {
  try {
    const mutings = await Array.fromAsync(remote.readAll<'muting'>(`/reports/${reportId}/mutings`));
    const bound = mutings.filter(({ id }) => !ids.has(id)).length;
    if (bound === 0) return [];
    const { starting_url: url } = attributes;
    return [
      `${plural(bound, 'muting')} that ${bound === 1 ? 'applies' : 'apply'} only to the report of ${url} ${bound === 1 ? 'is' : 'are'} not imported: check the site with its configuration file.`,
    ];
  } catch (error) {
    if (!isStatus(error, 403, 404)) throw error;
    return [];
  }
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

/** Identifies a schedule as it is stored: another service may write the same values differently, or leave attributes out. */
function keyOfSchedule(schedule: Item<'schedule'>): string {
  const { starting_url: url, periodicity, tags, time_of_day: time = null, time_zone: zone } = schedule;
  const { every = 'deploy', weekday = 'monday', monthday = 1 } = periodicity ?? {};
  const day = { week: weekday, month: monthday }[every as string] ?? null;
  const sorted = textsOf(tags).map((tag) => tag.trim().toLowerCase());
  const when = [every, day, ...(time === null ? [] : [time, zone])];
  return JSON.stringify(['schedule', (URL.parse(url)?.href ?? String(url)).split('#')[0], when, sorted.sort()]);
}

function keyOfMuting({ url_match: url, message, selector }: Item<'muting'>): string {
  const texts = [url, message].map((text) => String(text).trim().toLowerCase());
  return JSON.stringify(['muting', ...texts, ...(selector == null ? [] : [selector])]);
}

function mutingFrom(muting: Item<'muting'>): NewMutingAttributes {
  const { url_match, message, selector, comment, retroactive, expires_at: expires } = muting;
  return {
    ...{ url_match, message, comment: comment ?? '' },
    ...(selector != null && { selector }),
    ...(retroactive && { retroactive }),
    // Times in the API are in UTC and have no zone.
    ...(expires && { expires_at: `${expires}Z` }),
  };
}

function scheduleFrom(schedule: Item<'schedule'>, device: DeviceMatch | null): NewScheduleAttributes {
  const { periodicity, active, fail_on, time_of_day, time_zone, spread } = schedule;
  return {
    ...copied(schedule, device?.here?.id),
    periodicity: periodicity ?? { every: 'deploy' },
    ...(active === false && { active }),
    ...(fail_on && { fail_on }),
    ...(time_of_day && { time_of_day, time_zone }),
    ...(spread && { spread }),
  };
}

function remarksOn({ starting_url: url, ...schedule }: Item<'schedule'>): string[] {
  const credentials = `The credentials of ${url} are not imported, because services never show them. Set basic_auth, headers or cookies here.`;
  const signature = `The signature of the deploy hook of ${url} is not imported: set deploy_hook_signature here, with a new secret.`;
  return [
    ...(schedule.signs_in === true ? [credentials] : []),
    ...((schedule.deploy_hook_signature ?? null) === null ? [] : [signature]),
  ];
}
