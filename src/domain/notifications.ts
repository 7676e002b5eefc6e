/** The events that accounts are notified of, and how. */

/** Events of reports, schedules and accounts that a channel can be notified of. */
export const NOTIFICATION_EVENTS = [
  'report.finished',
  'report.failed',
  'schedule.got_worse',
  'schedule.out_of_credits',
  'guest.near_limit',
  'channel.paused',
  'backup.failed',
  'backup.recovered',
] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

/** The events of the installation, which only operators are notified of. */
export const OPERATOR_EVENTS = ['backup.failed', 'backup.recovered'] as const satisfies readonly NotificationEvent[];

/** The events of a new channel: the events of its account that need action. */
export const DEFAULT_EVENTS: readonly NotificationEvent[] = NOTIFICATION_EVENTS.filter(
  (event) => event !== 'report.finished' && !OPERATOR_EVENTS.some((each) => each === event),
);

/** What is delivered: an event, several in one message, a test that the account requested, or a request to confirm an address. */
export const DELIVERED_EVENTS = [...NOTIFICATION_EVENTS, 'digest', 'test', 'confirmation'] as const;
export type DeliveredEvent = (typeof DELIVERED_EVENTS)[number];

/** How a report of a schedule can be worse than the previous report. */
export const WORSE_REASONS = ['new_critical', 'new_errors', 'broken_pages', 'fail_on'] as const;
export type WorseReason = (typeof WORSE_REASONS)[number];

export const CHANNEL_KINDS = ['webhook', 'slack', 'teams', 'email'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** A delivery that is `held` waits for the digest of its channel. */
export const DELIVERY_STATUSES = ['held', 'pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Whether a channel gets each event at once, or all in one message per day. */
export const DIGESTS = ['none', 'daily'] as const;
export type Digest = (typeof DIGESTS)[number];

/** The share of a guest's monthly credits at or above which the guest is near the limit, in percent. */
export const NEAR_LIMIT_PERCENT = 80;
