import type { Client, Item } from '../../../packages/client/client.ts';
import type { NewReportAttributes } from '../../../packages/client/schema.ts';
import { REPORT_ATTRIBUTES } from '../../checks/check-attributes.ts';
import { plural } from '../../domain/amounts.ts';
import { sentenceOf } from '../../platform/fault.ts';
import { parseNewReport } from '../../reports/definition/new-report.ts';
import type { DeviceMatch, FindDevice } from './devices.ts';

/** A site of another service, with the settings of its newest report there. */
export interface SiteThere {
  readonly reportId: string;
  readonly attributes: NewReportAttributes;
  /** Null for the default device. */
  readonly device: DeviceMatch | null;
  /** How many pages that report has. */
  readonly pages: number;
}

/** The sites of another service's reports. */
export interface SitesThere {
  /** Sites that neither exist here nor are covered by a schedule, newest first. */
  readonly sites: readonly SiteThere[];
  /** The number of other sites that already exist here. */
  readonly present: number;
  /** The number of other sites that a schedule checks. */
  readonly scheduled: number;
  /** How many reports were read. */
  readonly reports: number;
}

export interface SiteReading {
  readonly remote: Client;
  readonly own: Client;
  readonly findDevice: FindDevice;
  /** The schedules of the other service. */
  readonly schedules: readonly Item<'schedule'>[];
  /** Receives what is not imported. */
  readonly remarks: string[];
  /** Called with the number of reports read so far. */
  onProgress(reports: number): void;
}

type Limits = Item<'account'>['limits'];
/** A report or schedule. Attributes of another service may be missing or of any type. */
type Given = Item<'report'> | Item<'schedule'>;

/** Why a report cannot be created, or what identifies its site. */
type Parsed = { readonly problem: string } | { readonly key: string; readonly url: string };

const COPIED = Object.keys(REPORT_ATTRIBUTES).filter((name) => name !== 'device_id');
const OF_SITE = Object.keys(REPORT_ATTRIBUTES).filter((name) => REPORT_ATTRIBUTES[name]?.isOfSite === true);
/** How many sites that are not imported are listed one by one. */
const TOLD_SITES = 10;

interface Newest {
  readonly report: Item<'report'>;
  readonly parsed: Parsed;
}

/**
 * Reads all reports of another service, and keeps the newest of each site: the newest for each combination of starting URL and
 * settings.
 * @throws ApiError, OfflineError
 */
export async function readSites(reading: SiteReading): Promise<SitesThere> {
  const { own, findDevice, remarks } = reading;
  const { limits } = await own.read<'account'>('/account');
  const { newest, ...counts } = await readNewest(reading, limits);
  const sites: SiteThere[] = [];
  const unusable: string[] = [];
  let present = 0;
  for (const { report, parsed } of newest) {
    const problem = 'problem' in parsed ? parsed.problem : credentialsProblem(report);
    if (problem !== null) unusable.push(`The site ${report.starting_url} is not imported: ${problem}`);
    else if ('key' in parsed && (await isHere(own, parsed, limits))) present += 1;
    else {
      const device = await findDevice(report.related.device);
      const attributes = copied(report, device?.here?.id);
      sites.push({ reportId: report.id, attributes, device, pages: Number(report.num_pages) || 0 });
    }
  }
  remarks.push(...unusable.slice(0, TOLD_SITES));
  const others = unusable.length - TOLD_SITES;
  if (others > 0) remarks.push(`${plural(others, 'other site')} ${others === 1 ? 'is' : 'are'} not imported either.`);
  return { sites, present, ...counts };
}

/** Reads the newest report of each site that no schedule checks, newest first. */
async function readNewest(
  { remote, findDevice, schedules, onProgress }: SiteReading,
  limits: Limits,
): Promise<Pick<SitesThere, 'scheduled' | 'reports'> & { readonly newest: readonly Newest[] }> {
  const parsedOf = async (item: Given): Promise<Parsed> => {
    const device = await findDevice(item.related.device);
    return parse(item, copied(item, device?.here?.id), limits);
  };
  const scheduleIds = new Set(schedules.map(({ id }) => id));
  const scheduledKeys = new Set<string>();
  for (const schedule of schedules) scheduledKeys.add(keyOf(schedule, await parsedOf(schedule)));
  const newest = new Map<string, Newest>();
  const covered = new Set<string>();
  let reports = 0;
  for await (const report of remote.readAll<'report'>('/reports')) {
    reports += 1;
    onProgress(reports);
    const parsed = await parsedOf(report);
    const key = keyOf(report, parsed);
    const isScheduled = scheduledKeys.has(key) || scheduleIds.has(idIn(report.related.schedule) ?? '');
    if (isScheduled) covered.add(key);
    else if (timeOf(report) > timeOf(newest.get(key)?.report)) newest.set(key, { report, parsed });
  }
  const newestFirst = [...newest.values()].sort((one, other) => compare(timeOf(other.report), timeOf(one.report)));
  return { newest: newestFirst, scheduled: covered.size, reports };
}

/** Returns the attributes of a new report or schedule with the settings of another report or schedule. */
export function copied(item: Given, deviceId: string | undefined): NewReportAttributes {
  const given = Object.entries(item).filter(([name, value]) => COPIED.includes(name) && value !== null);
  return {
    ...Object.fromEntries(given),
    // If these were missing, the standard of the account would apply. Older services have no standard.
    standard: item.standard ?? null,
    best_practices: item.best_practices ?? false,
    starting_url: item.starting_url,
    ...(deviceId !== undefined && { device_id: deviceId }),
  };
}

/** Whether the account has a report of a site. */
async function isHere(
  own: Client,
  { key, url }: { readonly key: string; readonly url: string },
  limits: Limits,
): Promise<boolean> {
  for await (const report of own.readAll<'report'>('/reports', { query: { 'filter[url]': url } })) {
    const device = idIn(report.related.device);
    const attributes = copied(report, device === 'default' ? undefined : device);
    if (keyOf(report, parse(report, attributes, limits)) === key) return true;
  }
  return false;
}

function credentialsProblem({ signs_in }: Item<'report'>): string | null {
  return signs_in === true
    ? 'it has credentials, which services never show. Check it here with basic_auth, headers or cookies.'
    : null;
}

/** Reads attributes as the API of this service does, which normalizes them. */
function parse({ signs_in }: Given, attributes: NewReportAttributes, limits: Limits): Parsed {
  const parsed = parseNewReport({ ...attributes }, limits);
  if ('faults' in parsed) return { problem: parsed.faults.map(sentenceOf).join(' ') };
  const { checks, starting_url: url } = parsed.value;
  const settings: Readonly<Record<string, unknown>> = { ...parsed.value };
  const key = JSON.stringify([...OF_SITE.map((name) => settings[name]), checks, signs_in === true]);
  return { key, url };
}

/** The settings, in their original form if they cannot be used here. */
function keyOf(item: Given, parsed: Parsed): string {
  return 'key' in parsed
    ? parsed.key
    : JSON.stringify(OF_SITE.map((name) => Object.entries(item).find(([key]) => key === name)));
}

function idIn(path: string | undefined): string | undefined {
  return path?.split('/').at(-1);
}

/** Ids in the order of creation (RFC 9562, section 5.7): the times of reports created within a second are equal. */
const ORDERED_ID = /^[\da-f]{8}-[\da-f]{4}-7/;

/** Returns a string by which reports sort in the order of their creation. */
function timeOf(report: Item<'report'> | undefined): string {
  return report === undefined ? '' : `at ${report.inserted_at} ${ORDERED_ID.test(report.id) ? report.id : ''}`;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
