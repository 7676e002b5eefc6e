import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../../packages/client/client.ts';
import { plural } from '../../domain/amounts.ts';
import { isObject } from '../../platform/json-object.ts';
import type { ChannelStep, MutingStep, Pruning, ScheduleStep, SiteStep } from './plan-sync.ts';

const VALUE_MAX_CHARACTERS = 60;

/** Returns the lines of a plan for a site without its schedules; none if the site does not change. */
export function siteLines({ wanted, existing, changes }: SiteStep): readonly string[] {
  const title = siteTitle(wanted.name ?? existing?.name ?? '', wanted.startingUrl);
  if (existing === null)
    return [`+ create site ${title}`, ...(wanted.given['archived'] === true ? [`- archive ${title}`] : [])];
  const archiving = changes.find(({ name }) => name === 'archived');
  const others = changes.filter(({ name }) => name !== 'archived');
  return [
    ...(others.length === 0 ? [] : [`~ change site ${title}: ${changesIn(others)}`]),
    ...(archiving === undefined
      ? []
      : [archiving.now === true ? `- archive site ${title}` : `+ restore site ${title}`]),
  ];
}

export function scheduleLines({ wanted, existing, changes }: ScheduleStep, site: SiteStep): readonly string[] {
  const title = `${siteTitle(site.wanted.name ?? site.existing?.name ?? '', site.wanted.startingUrl)}`;
  if (existing === null) return [`+ create schedule of ${title}: ${timesOf(wanted.shown)}`];
  return changes.length === 0 ? [] : [`~ change schedule of ${title}: ${changesIn(changes)}`];
}

export function mutingLines({ wanted, existing, changes }: MutingStep): readonly string[] {
  const { message, url_match: url, selector } = wanted.given;
  const title = `muting of "${message}"${selector === undefined ? '' : ` in "${selector}"`} on ${url}`;
  if (existing === null) return [`+ create ${title}`];
  return changes.length === 0 ? [] : [`~ change ${title}: ${changesIn(changes)}`];
}

export function channelLines({ wanted, existing, changes }: ChannelStep): readonly string[] {
  const { name, kind, email } = wanted;
  const title = `channel ${name}`;
  if (existing === null) return [`+ create ${title} (${email ?? kind})`];
  // URLs of channels are secrets.
  const words = changes.map((change) =>
    change.name === 'webhook_url' ? 'different webhook_url' : changesIn([change]),
  );
  return words.length === 0 ? [] : [`~ change ${title}: ${words.join('; ')}`];
}

/** Returns the line of a site that the file created and no longer has. */
export function pruneLine(site: Item<'site'>, how: Pruning['how']): string {
  const title = siteTitle(site.name, site.starting_url);
  if (how !== 'delete') return `- archive site ${title}, which is no longer in the file`;
  const { num_reports: reports, num_web_pages: pages } = site;
  const contents = `${plural(reports, 'report')} and ${plural(pages, 'page')}`;
  return `- delete site ${title} with ${contents}, which is no longer in the file`;
}

/** Returns a sentence for each thing that a file unexpectedly leaves unchanged. */
export function siteRemarks(step: SiteStep): readonly string[] {
  const title = siteTitle(step.wanted.name ?? step.existing?.name ?? '', step.wanted.startingUrl);
  const signsIn =
    step.existing?.signs_in === true &&
    step.existing.login === null &&
    step.schedules.some(({ existing }) => existing === null);
  const isArchived = step.existing?.archived === true && !Object.hasOwn(step.wanted.given, 'archived');
  return [
    ...(isArchived ? [`${title} is archived and stays archived: add "archived: false" to restore it.`] : []),
    ...(step.schedules.length === 0 ? [] : step.otherSchedules).map(
      (schedule) => `${title} also has a schedule that is not in the file, which is kept: ${scheduleTimes(schedule)}.`,
    ),
    ...(signsIn ? [`New schedules of ${title} do not have its credentials: set them in the dashboard.`] : []),
  ];
}

/** Returns how messages name a site. */
export function siteTitle(name: string, url: string): string {
  return name === '' ? url : `${name} (${url})`;
}

function changesIn(changes: SiteStep['changes']): string {
  return changes
    .map(({ name, before, now }) => {
      if (isDeepStrictEqual(before, now)) return `${name} with its secrets`;
      return name === 'login' ? loginChange(before, now) : `${name} ${shown(before)} → ${shown(now)}`;
    })
    .join('; ');
}

/** Steps are too long for a line. */
function loginChange(before: unknown, now: unknown): string {
  if (!isObject(before)) return 'login none → steps';
  return isObject(now) ? 'login different steps' : 'login steps → none';
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  const text = Array.isArray(value)
    ? value.join(', ') || 'none'
    : isObject(value)
      ? periodicityIn(value)
      : String(value);
  const whole = text === '' ? '""' : text;
  return whole.length > VALUE_MAX_CHARACTERS ? `${whole.slice(0, VALUE_MAX_CHARACTERS)}…` : whole;
}

function scheduleTimes({ periodicity, time_of_day, time_zone }: Item<'schedule'>): string {
  return timesOf({ periodicity, ...(time_of_day !== null && { time_of_day, time_zone }) });
}

function timesOf(schedule: object): string {
  const values = new Map<string, unknown>(Object.entries(schedule));
  const [periodicity, time, zone] = [values.get('periodicity'), values.get('time_of_day'), values.get('time_zone')];
  const at = time === undefined ? '' : ` at ${time}${zone === undefined ? '' : ` ${zone}`}`;
  return `${isObject(periodicity) ? periodicityIn(periodicity) : 'by its deploy hook'}${at}`;
}

function periodicityIn({ every, weekday, monthday }: Readonly<Record<string, unknown>>): string {
  const day = weekday === undefined ? (monthday === undefined ? '' : ` on day ${monthday}`) : ` on ${weekday}`;
  return `every ${every}${day}`;
}
