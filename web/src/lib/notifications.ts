/** What notification channels are told, and how they are, in the words of people. Names are those of the API. */

/** The forms of messages, with what the form asks for. Mails have an address in place of a URL. */
export const CHANNEL_KINDS = [
  ['webhook', 'webhook', 'Your program gets signed JSON, and answers with 200 to 299 within 15 seconds.'],
  ['slack', 'Slack', 'The URL of an incoming webhook of a Slack app. It is a secret.'],
  [
    'teams',
    'Microsoft Teams',
    'The URL of the workflow “Post to a channel when a webhook request is received”. It is a secret.',
  ],
  ['email', 'email', ''],
] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number][0];

/** What happens that a channel can be told, with how lists say it. */
export const EVENTS = [
  ['report.finished', 'A report has finished', 'finished reports'],
  ['report.failed', 'A report has failed', 'failed reports'],
  ['schedule.got_worse', 'A report of a schedule is worse than the one before', 'schedules that got worse'],
  ['schedule.out_of_credits', 'A schedule lacks credits', 'missing credits'],
  ['guest.near_limit', 'A guest has used 80% of a month’s limit', 'guests near their limit'],
  ['channel.paused', 'Another channel is paused', 'paused channels'],
] as const;

type Event = (typeof EVENTS)[number];

/** Returns the events that can happen to an account: credits run out only where they are limited, and not all have guests. */
export function eventsFor(account: { readonly countsCredits: boolean; readonly hasGuests: boolean }): readonly Event[] {
  const never = new Set<string>([
    ...(account.countsCredits ? [] : ['schedule.out_of_credits']),
    ...(account.hasGuests ? [] : ['guest.near_limit']),
  ]);
  return EVENTS.filter(([event]) => !never.has(event));
}

/** What a new channel is told, as the API has it by default: what somebody has to act on. */
export const DEFAULT_EVENTS: readonly string[] = EVENTS.map(([event]) => event).filter(
  (event) => event !== 'report.finished',
);

const OTHER_DELIVERIES: readonly (readonly [event: string, title: string])[] = [
  ['digest', 'Digest'],
  ['test', 'Test'],
  ['confirmation', 'Mail to confirm the address'],
];

/** What makes a report of a schedule worse. */
export const WORSE_REASONS = [
  ['new_critical', 'Critical errors are new or back'],
  ['new_errors', 'Errors of any kind are new or back'],
  ['broken_pages', 'Pages can no longer be checked'],
  ['fail_on', 'The run fails, and the one before did not'],
] as const;

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
