import type { Generated, JSONColumnType, Selectable } from 'kysely';
import type { Failure } from '../../domain/failures/failure.ts';
import type {
  ChannelKind,
  DeliveredEvent,
  DeliveryStatus,
  Digest,
  NotificationEvent,
  WorseReason,
} from '../../domain/notifications.ts';

/** The tables of notifications, part of `Schema`. */

export interface NotificationChannelTable {
  id: Generated<string>;
  account_id: string;
  kind: ChannelKind;
  name: string;
  target: string;
  /** Sealed by `notifications/channel-secrets.ts`. */
  url_sealed: Buffer | null;
  secret_sealed: Buffer | null;
  former_secret_sealed: Buffer | null;
  secret_replaced_at: Date | null;
  events: NotificationEvent[];
  worse_when: WorseReason[];
  schedule_ids: string[];
  active: boolean;
  confirmed_at: Date | null;
  failing_since: Date | null;
  last_error: JSONColumnType<Failure | null, string | null, string | null>;
  last_delivered_at: Date | null;
  paused_at: Date | null;
  digest: Generated<Digest>;
  digest_hour: Generated<number>;
  time_zone: Generated<string>;
  /** Null if it has no digest. */
  next_digest_at: Date | null;
  inserted_at: Generated<Date>;
  updated_at: Generated<Date>;
}

export interface NotificationDeliveryTable {
  id: Generated<string>;
  channel_id: string;
  event: DeliveredEvent;
  key: string;
  report_id: string | null;
  schedule_id: string | null;
  details: JSONColumnType<DeliveryDetails, string, string>;
  message: JSONColumnType<object | null, string | null, string | null>;
  status: Generated<DeliveryStatus>;
  attempts: Generated<number>;
  next_attempt_at: Date | null;
  last_attempt_at: Date | null;
  delivered_at: Date | null;
  http_status: number | null;
  error: JSONColumnType<Failure | null, string | null, string | null>;
  /** The digest that includes this delivery. */
  digest_id: string | null;
  inserted_at: Generated<Date>;
}

/** Details of an event that are only known when it happens. */
export interface DeliveryDetails {
  /** Of `schedule.got_worse`. */
  readonly reasons?: readonly WorseReason[];
  /** Of `schedule.out_of_credits`: whose credits ran out. */
  readonly payer?: 'account' | 'guest';
  /** Of `guest.near_limit`. */
  readonly guest?: {
    readonly id: string;
    readonly name: string;
    readonly current_usage: number;
    readonly max_usage: number;
  };
  /** Of `channel.paused`. */
  readonly channel?: { readonly id: string; readonly name: string; readonly target: string };
  /** Of `backup.failed` and `backup.recovered`. */
  readonly backup?: {
    /** Why the last scheduled backup failed; null if it did not. */
    readonly error: string | null;
    /** When the last complete backup started: ISO 8601 in UTC. Null if there is none. */
    readonly last_backup_at: string | null;
  };
}

/** The number of confirmation emails of an account on one day. */
interface ConfirmationEmailTable {
  account_id: string;
  day: Date;
  sent: number;
}

export interface NotificationTables {
  confirmation_emails: ConfirmationEmailTable;
  notification_channels: NotificationChannelTable;
  notification_deliveries: NotificationDeliveryTable;
}

export type NotificationChannel = Selectable<NotificationChannelTable>;
export type NotificationDelivery = Selectable<NotificationDeliveryTable>;
