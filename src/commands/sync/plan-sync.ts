import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../../packages/client/client.ts';
import { isObject, type JsonObject } from '../../platform/json-object.ts';
import type { FileProblem } from '../configuration-file/read-yaml.ts';
import {
  addressOf,
  mutingKey,
  type Wanted,
  type WantedChannel,
  type WantedMuting,
  type WantedSchedule,
  type WantedSite,
  type WantedState,
} from './desired.ts';

/** A schedule with the name of its device, as sites show it. */
export type CurrentSchedule = Item<'schedule'> & { readonly device: string | null };

/** The current resources of an account. */
export interface CurrentState {
  readonly sites: readonly Item<'site'>[];
  readonly schedules: readonly CurrentSchedule[];
  readonly mutings: readonly Item<'muting'>[];
  readonly channels: readonly Item<'notification_channel'>[];
}

/** A value that changes, as the API shows it. */
export interface ValueChange {
  readonly name: string;
  readonly before: unknown;
  readonly now: unknown;
}

/** What happens to a resource: it is created if `existing` is null, and stays unchanged if there are no changes. */
export interface Step<Of extends Wanted, Existing> {
  readonly wanted: Of;
  readonly existing: Existing | null;
  readonly changes: readonly ValueChange[];
}

export type ScheduleStep = Step<WantedSchedule, Item<'schedule'>>;
export type MutingStep = Step<WantedMuting, Item<'muting'>>;
export type ChannelStep = Step<WantedChannel, Item<'notification_channel'>>;
export interface SiteStep extends Step<WantedSite, Item<'site'>> {
  readonly schedules: readonly ScheduleStep[];
  /** Schedules of the site that the file does not have. They stay. */
  readonly otherSchedules: readonly Item<'schedule'>[];
}

export interface SyncPlan {
  readonly mutings: readonly MutingStep[];
  readonly channels: readonly ChannelStep[];
  readonly sites: readonly SiteStep[];
  /** Sites that the file created and no longer has, to be archived or deleted. */
  readonly pruned: readonly Item<'site'>[];
}

/** What happens to sites that the file created and no longer has. */
export interface Pruning {
  /** The name of the file. */
  readonly source: string;
  /** Null to keep them. */
  readonly how: 'archive' | 'delete' | null;
}

interface SyncChoices extends Pruning {
  /** Whether to send the secrets of existing sites and schedules, which cannot be compared. */
  readonly sendsSecrets: boolean;
}

/**
 * Compares what a file defines with what an account has.
 * @returns the plan and how many sites the account will have, or problems if it is not clear which site is meant
 */
export function planSync(
  wanted: WantedState,
  current: CurrentState,
  { source, how, sendsSecrets }: SyncChoices,
): { readonly plan: SyncPlan; readonly numSites: number } | { readonly problems: readonly FileProblem[] } {
  const { found, problems } = findSites(wanted.sites, current.sites, source);
  const schedulesOf = Map.groupBy(current.schedules, ({ related }) => related.site?.split('/').at(-1) ?? '');
  const sites = wanted.sites.map((site): SiteStep => {
    const existing = found.get(site) ?? null;
    const schedules = matchSchedules(site.schedules, existing === null ? [] : (schedulesOf.get(existing.id) ?? []));
    const step = { wanted: site, existing, changes: withLogin(site, changesOf(site, existing)), ...schedules };
    if (!sendsSecrets) return step;
    return { ...step, ...withSecrets(step), schedules: step.schedules.map(withSecrets) };
  });
  const known = new Map(current.mutings.map((muting) => [mutingKey({ ...muting }), muting]));
  const mutings = wanted.mutings.map((muting): MutingStep => {
    const existing = known.get(mutingKey(muting.given)) ?? null;
    return { wanted: muting, existing, changes: existing === null ? [] : mutingChanges(muting, existing) };
  });
  const kept = new Set([...found.values()].map(({ id }) => id));
  const pruned = current.sites.filter(
    (site) => how !== null && site.synced_from === source && !kept.has(site.id) && (how === 'delete' || !site.archived),
  );
  const channels = planChannels(wanted.channels, current.channels);
  problems.push(...channels.problems);
  const numSites = current.sites.length + sites.filter(({ existing }) => existing === null).length;
  return problems.length > 0 ? { problems } : { plan: { sites, mutings, channels: channels.steps, pruned }, numSites };
}

/**
 * Finds the existing sites of the file: by name, or by starting URL if the file gives no name. A site without a name in the
 * account gets the name of the site in the file with the same starting URL. So does the only site that the file created with that
 * URL, if the file no longer has its name: if another site were created, this site would be pruned with its history.
 */
function findSites(wanted: readonly WantedSite[], sites: readonly Item<'site'>[], source: string) {
  const found = new Map<WantedSite, Item<'site'>>();
  const problems: FileProblem[] = [];
  const taken = new Set<string>();
  const byName = Map.groupBy(sites, ({ name }) => name);
  const byAddress = Map.groupBy(sites, ({ starting_url: url }) => addressOf(url));
  const named = (site: WantedSite): Item<'site'>[] => (site.name === null ? [] : (byName.get(site.name) ?? []));
  const there = ({ startingUrl, name }: WantedSite): Item<'site'>[] =>
    (byAddress.get(addressOf(startingUrl)) ?? []).filter(
      (site) => !taken.has(site.id) && (name === null || site.name === ''),
    );
  const renamed = ({ startingUrl, given }: WantedSite): Item<'site'>[] => {
    const isArchived = given['archived'] === true;
    const candidates = (byAddress.get(addressOf(startingUrl)) ?? []).filter(
      (site) => !taken.has(site.id) && site.synced_from === source && site.archived === isArchived,
    );
    return candidates.length === 1 ? candidates : [];
  };
  const take = (site: WantedSite, candidates: readonly Item<'site'>[]): void => {
    const [only] = candidates;
    if (candidates.length > 1) problems.push({ ...site.place, text: ambiguous(site, candidates.length) });
    if (only === undefined) return;
    found.set(site, only);
    taken.add(only.id);
  };
  for (const site of wanted) take(site, named(site));
  for (const site of wanted.filter(({ name }) => name === null)) take(site, there(site));
  for (const find of [there, renamed]) {
    for (const site of wanted) if (site.name !== null && !found.has(site)) take(site, find(site));
  }
  return { found, problems };
}

function ambiguous({ name, startingUrl }: WantedSite, count: number): string {
  return name === null
    ? `${count} of your sites start at ${startingUrl}. Add the name of the one that you mean.`
    : `${count} of your sites could be ${name}. Give them different names in the dashboard, or merge them.`;
}

/** Matches schedules with the same days and time first, then schedules that run equally often. */
function matchSchedules(
  wanted: readonly WantedSchedule[],
  existing: readonly Item<'schedule'>[],
): { readonly schedules: readonly ScheduleStep[]; readonly otherSchedules: readonly Item<'schedule'>[] } {
  const left = new Set(existing);
  const matches = new Map<WantedSchedule, Item<'schedule'>>();
  const isSameTime = (shown: JsonObject, other: Item<'schedule'>): boolean =>
    ['periodicity', 'time_of_day', 'time_zone'].every(
      (name) => !Object.hasOwn(shown, name) || isSame(shown, other, name),
    );
  const isAsOften = (shown: JsonObject, other: Item<'schedule'>): boolean =>
    everyOf(shown['periodicity']) === everyOf(other.periodicity);
  for (const isMatch of [isSameTime, isAsOften]) {
    for (const schedule of wanted.filter((one) => !matches.has(one))) {
      const match = [...left].find((other) => isMatch(schedule.shown, other));
      if (match === undefined) continue;
      left.delete(match);
      matches.set(schedule, match);
    }
  }
  const schedules = wanted.map((schedule): ScheduleStep => {
    const match = matches.get(schedule) ?? null;
    return { wanted: schedule, existing: match, changes: changesOf(schedule, match) };
  });
  return { schedules, otherSchedules: [...left] };
}

function everyOf(periodicity: unknown): unknown {
  return isObject(periodicity) ? periodicity['every'] : 'deploy';
}

function shownBy(item: object, name: string): unknown {
  return new Map<string, unknown>(Object.entries(item)).get(name);
}

function isSame(shown: JsonObject, item: object, name: string): boolean {
  const [now, before] = [shown[name], shownBy(item, name)];
  // Checks that are off might not be shown.
  return isDeepStrictEqual(now, before) || (now === false && before === undefined);
}

/** Finds the existing channels of the file by name. Their kind and their address cannot be changed. */
function planChannels(wanted: readonly WantedChannel[], channels: readonly Item<'notification_channel'>[]) {
  const problems: FileProblem[] = [];
  const byName = Map.groupBy(channels, ({ name }) => name);
  const steps = wanted.map((channel): ChannelStep => {
    const { name, place, kind, email } = channel;
    const [existing = null, ...others] = byName.get(name) ?? [];
    const report = (text: string): void => void problems.push({ ...place, text });
    if (others.length > 0) report(`${others.length + 1} notification channels are named ${name}. Rename one of them.`);
    if (existing !== null && existing.kind !== kind)
      report(
        `The channel ${name} has the kind ${existing.kind}, which cannot be changed. Delete it, or use another name.`,
      );
    else if (existing !== null && email !== null && email !== existing.target)
      report(
        `The channel ${name} sends to ${existing.target}, which cannot be changed. Delete it, or use another name.`,
      );
    return { wanted: channel, existing, changes: changesOf(channel, existing) };
  });
  return { steps, problems };
}

function changesOf({ shown }: Wanted, existing: object | null): readonly ValueChange[] {
  if (existing === null) return [];
  return Object.keys(shown).flatMap((name): ValueChange[] =>
    isSame(shown, existing, name) ? [] : [{ name, before: shownBy(existing, name), now: shown[name] }],
  );
}

/** Adds the login to a change of the starting URL: its stored secrets are not sent to another origin. */
function withLogin({ shown }: Wanted, changes: readonly ValueChange[]): readonly ValueChange[] {
  const hasMoved = changes.some(({ name }) => name === 'starting_url');
  if (!hasMoved || !isObject(shown['login']) || changes.some(({ name }) => name === 'login')) return changes;
  return [...changes, { name: 'login', before: shown['login'], now: shown['login'] }];
}

/** Adds the settings with secrets whose visible parts are the same. */
function withSecrets<Of extends SiteStep | ScheduleStep>(step: Of): Of {
  const same = secretsNotCompared(step).map((name) => ({
    ...{ name, before: step.wanted.shown[name], now: step.wanted.shown[name] },
  }));
  return { ...step, changes: [...step.changes, ...same] };
}

/** Returns the settings of an existing site or schedule whose secrets may differ, although their visible parts do not. */
export function secretsNotCompared({ wanted, existing, changes }: SiteStep | ScheduleStep): readonly string[] {
  if (existing === null) return [];
  const names = ['login', 'journeys'].filter((name) => hasSecret(wanted.shown[name]));
  return names.filter((name) => !changes.some((change) => change.name === name));
}

function hasSecret(shown: unknown): boolean {
  if (Array.isArray(shown)) return shown.some(hasSecret);
  if (!isObject(shown)) return false;
  return shown['secret'] === true || shown['totp'] === true || hasSecret(shown['steps']);
}

function mutingChanges({ given, expiresAt }: WantedMuting, existing: Item<'muting'>): readonly ValueChange[] {
  const { comment, retroactive } = given;
  // Times in the API are in UTC and have no zone.
  const before = existing.expires_at === null ? null : Date.parse(`${existing.expires_at}Z`);
  const isOtherTime = expiresAt !== undefined && (expiresAt?.getTime() ?? null) !== before;
  return [
    ...(typeof comment === 'string' && comment.trim() !== existing.comment
      ? [{ name: 'comment', before: existing.comment, now: comment.trim() }]
      : []),
    ...(typeof retroactive === 'boolean' && retroactive !== existing.retroactive
      ? [{ name: 'retroactive', before: existing.retroactive, now: retroactive }]
      : []),
    ...(isOtherTime ? [{ name: 'expires_at', before: existing.expires_at, now: given['expires_at'] }] : []),
  ];
}
