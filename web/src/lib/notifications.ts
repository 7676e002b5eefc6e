import {
  CHANNEL_KINDS as KINDS,
  LIMITS,
  NOTIFICATION_EVENTS,
  WORSE_REASONS as REASONS,
} from 'sitewarden-client/values';

/** What notification channels are told, and how they are, in the words of people. Names are those of the API. */

export type ChannelKind = (typeof KINDS)[number];
type EventName = (typeof NOTIFICATION_EVENTS)[number];

const KIND_WORDS: Readonly<Record<ChannelKind, readonly [title: string, hint: string]>> = {
  webhook: [
    'webhook',
    `Your program gets signed JSON, and answers with 200 to 299 within ${LIMITS.webhookResponseSeconds} seconds.`,
  ],
  slack: ['Slack', 'The URL of an incoming webhook of a Slack app. It is a secret.'],
  teams: [
    'Microsoft Teams',
    'The URL of the workflow “Post to a channel when a webhook request is received”. It is a secret.',
  ],
  email: ['email', ''],
};

/** The forms of messages, with what the form asks for. Mails have an address in place of a URL. */
export const CHANNEL_KINDS = KINDS.map((kind) => [kind, ...KIND_WORDS[kind]] as const);

const EVENT_WORDS: Readonly<Record<EventName, readonly [title: string, inLists: string]>> = {
  'report.finished': ['A report has finished', 'finished reports'],
  'report.failed': ['A report has failed', 'failed reports'],
  'schedule.got_worse': ['A report of a schedule is worse than the one before', 'schedules that got worse'],
  'schedule.out_of_credits': ['A schedule lacks credits', 'missing credits'],
  'guest.near_limit': [`A guest has used ${LIMITS.nearLimitPercent}% of a month’s limit`, 'guests near their limit'],
  'channel.paused': ['Another channel is paused', 'paused channels'],
};

/** What happens that a channel can be told, with how lists say it. */
export const EVENTS = NOTIFICATION_EVENTS.map((event) => [event, ...EVENT_WORDS[event]] as const);

type Event = (typeof EVENTS)[number];

/** Returns the events that can happen to an account: credits run out only where they are limited, and not all have guests. */
export function eventsFor(account: { readonly countsCredits: boolean; readonly hasGuests: boolean }): readonly Event[] {
  const never = new Set<string>([
    ...(account.countsCredits ? [] : ['schedule.out_of_credits']),
    ...(account.hasGuests ? [] : ['guest.near_limit']),
  ]);
  return EVENTS.filter(([event]) => !never.has(event));
}

const OTHER_DELIVERIES: readonly (readonly [event: string, title: string])[] = [
  ['digest', 'Digest'],
  ['test', 'Test'],
  ['confirmation', 'Mail to confirm the address'],
];

const WORSE_WORDS: Readonly<Record<(typeof REASONS)[number], string>> = {
  new_critical: 'Critical errors are new or back',
  new_errors: 'Errors of any kind are new or back',
  broken_pages: 'Pages can no longer be checked',
  fail_on: 'The run fails, and the one before did not',
};

/** What makes a report of a schedule worse. */
export const WORSE_REASONS = REASONS.map((reason) => [reason, WORSE_WORDS[reason]] as const);

export const DELIVERY_STATUSES = [
  ['delivered', 'delivered'],
  ['pending', 'waiting'],
  ['held', 'waiting for the digest'],
  ['failed', 'failed'],
] as const;

/** The hours of a day, as digests know them: `07:00`. */
export const HOURS = Array.from({ length: 24 }, (_, hour) => hourOfDay(hour));

/** Returns an hour as people write it: `07:00`. */
export function hourOfDay(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** The time zone of this browser. */
export function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns the time zones that can be chosen, in order, with one that is in use. */
export function timeZonesWith(used: string): readonly string[] {
  return [...new Set(['UTC', used, ...Intl.supportedValuesOf('timeZone')])].sort();
}

/** Returns how a kind of channel is called. */
export function kindName(kind: ChannelKind): string {
  return CHANNEL_KINDS.find(([each]) => each === kind)?.[1] ?? kind;
}

/** Returns what was delivered: `A report has failed`. */
export function eventTitle(event: string): string {
  return [...EVENTS, ...OTHER_DELIVERIES].find(([each]) => each === event)?.[1] ?? event;
}

/** The most events that are left out which are easier to name than the others. */
const leftOutMax = 2;

/**
 * Returns what a channel is told: `everything but finished reports`.
 * @param possible the events that can happen to its account
 */
export function toldWords(events: readonly string[], possible: readonly Event[]): string {
  const shown = possible.filter(([event]) => events.includes(event)).map(([, , words]) => words);
  const missing = possible.filter(([event]) => !events.includes(event)).map(([, , words]) => words);
  if (missing.length === 0) return 'everything';
  return missing.length <= leftOutMax ? `everything but ${missing.join(' and ')}` : shown.join(', ');
}
