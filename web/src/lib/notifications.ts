import {
  CHANNEL_KINDS as KINDS,
  LIMITS,
  NOTIFICATION_EVENTS,
  OPERATOR_EVENTS,
  WORSE_REASONS as REASONS,
  DELIVERY_STATUSES as STATUSES,
} from 'sitewarden-client/values';

/** The events, types and states of notification channels in words. The keys are names of the API. */

export type ChannelKind = (typeof KINDS)[number];
type EventName = (typeof NOTIFICATION_EVENTS)[number];

const KIND_WORDS: Readonly<Record<ChannelKind, readonly [title: string, hint: string]>> = {
  webhook: [
    'webhook',
    `Your program receives signed JSON and must respond with a status from 200 to 299 within ${LIMITS.webhookResponseSeconds} seconds.`,
  ],
  slack: ['Slack', 'The URL of an incoming webhook of a Slack app. It is a secret.'],
  teams: [
    'Microsoft Teams',
    'The URL of the workflow “Post to a channel when a webhook request is received”. It is a secret.',
  ],
  email: ['email', ''],
};

/** The types of channels, with the hint for their destination. Email channels have an address instead of a URL. */
export const CHANNEL_KINDS = KINDS.map((kind) => [kind, ...KIND_WORDS[kind]] as const);

const EVENT_WORDS: Readonly<Record<EventName, readonly [title: string, inLists: string]>> = {
  'report.finished': ['A report has finished', 'finished reports'],
  'report.failed': ['A report has failed', 'failed reports'],
  'schedule.got_worse': ['A scheduled report is worse than the previous one', 'schedules that got worse'],
  'schedule.out_of_credits': ['A schedule is out of credits', 'schedules out of credits'],
  'guest.near_limit': [`A guest has used ${LIMITS.nearLimitPercent}% of the monthly limit`, 'guests near their limit'],
  'channel.paused': ['Another channel is paused', 'paused channels'],
  'backup.failed': ['A scheduled backup of the installation has failed', 'failed backups'],
  'backup.recovered': ['Scheduled backups work again', 'recovered backups'],
};

/** The events that a channel can be notified about, and their words in lists. */
export const EVENTS = NOTIFICATION_EVENTS.map((event) => [event, ...EVENT_WORDS[event]] as const);

type Event = (typeof EVENTS)[number];

/**
 * Returns the events that can occur in an account: credits run out only if they are limited, not every plan has guests, and only
 * operators are notified of the installation.
 */
export function eventsFor(account: {
  readonly countsCredits: boolean;
  readonly hasGuests: boolean;
  readonly isOperator: boolean;
}): readonly Event[] {
  const never = new Set<string>([
    ...(account.countsCredits ? [] : ['schedule.out_of_credits']),
    ...(account.hasGuests ? [] : ['guest.near_limit']),
    ...(account.isOperator ? [] : OPERATOR_EVENTS),
  ]);
  return EVENTS.filter(([event]) => !never.has(event));
}

const OTHER_DELIVERIES: readonly (readonly [event: string, title: string])[] = [
  ['digest', 'Digest'],
  ['test', 'Test'],
  ['confirmation', 'Confirmation email'],
];

const WORSE_WORDS: Readonly<Record<(typeof REASONS)[number], string>> = {
  new_critical: 'Critical errors are new or back',
  new_errors: 'Any errors are new or back',
  broken_pages: 'Pages can no longer be checked',
  fail_on: 'The run fails and the previous run did not',
};

/** The conditions that make a scheduled report worse. */
export const WORSE_REASONS = REASONS.map((reason) => [reason, WORSE_WORDS[reason]] as const);

const STATUS_WORDS: Readonly<Record<(typeof STATUSES)[number], string>> = {
  held: 'waiting for the digest',
  pending: 'waiting',
  delivered: 'delivered',
  failed: 'failed',
};

/** The statuses of deliveries with their words. */
export const DELIVERY_STATUSES = STATUSES.map((status) => [status, STATUS_WORDS[status]] as const);

/** The hours of a day, as in the settings of digests: `07:00`. */
export const HOURS = Array.from({ length: 24 }, (_, hour) => hourOfDay(hour));

/** Formats an hour: `07:00`. */
export function hourOfDay(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** Returns the name of a channel type. */
export function kindName(kind: ChannelKind): string {
  return CHANNEL_KINDS.find(([each]) => each === kind)?.[1] ?? kind;
}

/** Returns the title of a delivered event: `A report has failed`. */
export function eventTitle(event: string): string {
  return [...EVENTS, ...OTHER_DELIVERIES].find(([each]) => each === event)?.[1] ?? event;
}

/** The maximum number of missing events to list instead of the chosen ones. */
const leftOutMax = 2;

/**
 * Returns the events that a channel is notified about: `everything except finished reports`.
 * @param possible the events that can occur in its account
 */
export function eventWords(events: readonly string[], possible: readonly Event[]): string {
  const shown = possible.filter(([event]) => events.includes(event)).map(([, , words]) => words);
  const missing = possible.filter(([event]) => !events.includes(event)).map(([, , words]) => words);
  if (missing.length === 0) return 'everything';
  return missing.length <= leftOutMax ? `everything except ${missing.join(' and ')}` : shown.join(', ');
}
