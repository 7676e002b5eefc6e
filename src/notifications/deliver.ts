import type { Failure } from '../domain/failures/failure.ts';
import type { HttpClient } from '../egress/http-client.ts';
import type { Mailer } from '../egress/mailer.ts';
import type { Clock } from '../platform/clock.ts';
import { isTransient, waitOut } from '../platform/database-errors.ts';
import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { startConsumer } from '../queue/consumer.ts';
import type { Worker } from '../queue/worker.ts';
import { findAccount } from '../store/accounts/accounts.ts';
import { type Database, inSnapshot } from '../store/database.ts';
import { lockChannel, recordFailure, recordSuccess } from '../store/notifications/notification-channels.ts';
import {
  type BusyReceivers,
  type ClaimedDelivery,
  claimDelivery,
  dropDelivery,
  releaseDelivery,
  saveAttempt,
  saveMessage,
} from '../store/notifications/notification-deliveries.ts';
import { NOTIFICATIONS_TOPIC } from '../store/notifications/notification-events.ts';
import type { NotificationChannel } from '../store/notifications/notification-tables.ts';
import { allExist } from '../store/reports/reports.ts';
import { signingSecretsOf, urlOf } from './channel-secrets.ts';
import { emailFor, emailOfPause } from './compose-emails.ts';
import { composeMessage, type Message } from './compose-message.ts';
import { postBody } from './post-body.ts';
import { sendEmail } from './send-email.ts';
import { type Attempt, failedAttempt, sendWebhook } from './send-webhook.ts';

/** Deliveries at a time, each to a different channel. */
const CONCURRENCY = 8;
/** Per account, so that unresponsive receivers of one account do not hold up the others. */
const ACCOUNT_CONCURRENCY = 2;
/** After this time without a result, another process repeats an attempt. Longer than an attempt may take. */
const CLAIM_SECONDS = 120;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The pauses after failed attempts: ten attempts in a day. */
const RETRIES_MS: readonly number[] = [
  ...[5_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 45 * MINUTE_MS],
  ...[2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS, 9 * HOUR_MS],
];
/** The longest wait that a receiver may ask for. */
const WAIT_MAX_MS = 24 * HOUR_MS;
/** A channel is paused when all its deliveries have failed for this long. */
const FAILING_DAYS_MAX = 3;

export interface DeliveryParts {
  readonly db: Database;
  readonly box: SecretBox;
  readonly worker: Worker;
  readonly httpClient: HttpClient;
  /** Null if this installation sends no email. */
  readonly mailer: Mailer | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** The public address of the dashboard, without a trailing slash. */
  readonly baseUrl: string;
  /** False to leave emails to other processes. */
  readonly takesEmails: boolean;
  /** Called when an attempt has ended. */
  readonly onDelivery?: (kind: string, outcome: 'delivered' | 'retried' | 'failed') => void;
}

/** Delivers notifications until stopped. Several processes may do so at the same time. */
export function startDelivering(parts: DeliveryParts): { stop(): Promise<void> } {
  const { db, takesEmails } = parts;
  const underWay = new Set<ClaimedDelivery>();
  const consumer = startConsumer<ClaimedDelivery>(parts, {
    topic: NOTIFICATIONS_TOPIC,
    concurrency: CONCURRENCY,
    batch: 1,
    ahead: 0,
    async claim() {
      const busy = busyWith([...underWay]);
      const claimed = await claimDelivery(db, { seconds: CLAIM_SECONDS, busy, takesEmails });
      if (claimed === undefined) return [];
      underWay.add(claimed);
      return [claimed];
    },
    async run(delivery, { signal }) {
      await deliver(parts, delivery, signal).catch((error: unknown) => {
        parts.log.warn(
          { deliveryId: delivery.id, reason: messageOf(error) },
          'A notification has not been delivered yet',
        );
      });
      underWay.delete(delivery);
      // Other deliveries of the channel and of the account could not be claimed until now.
      consumer.wake();
    },
    async giveBack(delivery) {
      await release(parts, delivery, AbortSignal.abort());
      underWay.delete(delivery);
    },
  });
  return consumer;
}

/** Returns the receivers at their limit: one delivery at a time per channel, `ACCOUNT_CONCURRENCY` per account. */
function busyWith(underWay: readonly ClaimedDelivery[]): BusyReceivers {
  const byAccount = Map.groupBy(underWay, ({ channel }) => channel.account_id);
  return {
    channels: underWay.map(({ channel }) => channel.id),
    accounts: [...byAccount].filter(([, of]) => of.length >= ACCOUNT_CONCURRENCY).map(([id]) => id),
  };
}

/** @throws permanent database errors */
async function deliver(parts: DeliveryParts, delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const { db, log } = parts;
  let attempt: Attempt;
  try {
    const message = await messageOfDelivery(parts, delivery);
    if (message === null) return await dropDelivery(db, delivery);
    attempt = await sendMessage(parts, delivery, message, signal);
  } catch (error) {
    // While the database was unavailable, nothing was attempted.
    if (signal.aborted || isTransient(error)) return release(parts, delivery, signal);
    log.error({ err: error, deliveryId: delivery.id }, 'A notification could not be delivered');
    attempt = failedAttempt({ code: 'delivery_broke_off', params: {} });
  }
  const isRetried = attempt.error !== null && pauseAfter(delivery, attempt) !== null;
  parts.onDelivery?.(delivery.channel.kind, attempt.error === null ? 'delivered' : isRetried ? 'retried' : 'failed');
  // Repeated if the response of the database is lost: a result is saved once.
  const isPaused = await waitOut(() => saveResult(db, delivery, attempt), {
    ...{ signal, log },
    failure: 'Could not save the result of a delivery',
  });
  if (isPaused) await tellOwner(parts, delivery.channel, signal);
}

/** Notifies an account by email that one of its channels, possibly its only one, was paused. */
async function tellOwner(parts: DeliveryParts, channel: NotificationChannel, signal: AbortSignal): Promise<void> {
  const { db, log, mailer } = parts;
  const ids = { channelId: channel.id, accountId: channel.account_id };
  log.warn(ids, 'A notification channel was paused because its deliveries keep failing');
  const account = await findAccount(db, channel.account_id);
  if (mailer === null || account === undefined || account.email === channel.target) return;
  await mailer.send(emailOfPause(account, channel, parts), signal).catch((error: unknown) => {
    log.warn({ ...ids, reason: messageOf(error) }, 'Could not notify the account by email that its channel was paused');
  });
}

/**
 * Returns the message that every attempt sends, while its reports exist: no message links to a deleted report. Null if none of
 * the reports exists.
 */
async function messageOfDelivery({ db, baseUrl }: DeliveryParts, delivery: ClaimedDelivery): Promise<Message | null> {
  // `saveMessage` stores nothing but messages.
  const kept = delivery.message as Message | null;
  if (kept !== null && (await allExist(db, reportsIn(kept)))) return kept;
  const message = await inSnapshot(db, (trx) => composeMessage(trx, delivery, baseUrl));
  if (message !== null) await saveMessage(db, delivery, message);
  return message;
}

function reportsIn({ data: { report, events = [] } }: Message): string[] {
  return [...(report === undefined ? [] : [report.id]), ...events.flatMap(reportsIn)];
}

async function sendMessage(
  parts: DeliveryParts,
  delivery: ClaimedDelivery,
  message: Message,
  signal: AbortSignal,
): Promise<Attempt> {
  const { kind } = delivery.channel;
  if (kind === 'email') return sendEmail(parts, emailFor(delivery, message, parts), signal);
  return postMessage(parts, delivery, postBody(kind, message, parts.baseUrl), signal);
}

async function postMessage(
  parts: DeliveryParts,
  { id, channel }: ClaimedDelivery,
  body: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const { box, clock } = parts;
  const url = urlOf(box, channel);
  const secrets = channel.kind === 'webhook' ? signingSecretsOf(box, channel, clock()) : [];
  if (url === null || secrets === null) return failedAttempt({ code: 'receiver_unreadable', params: {} });
  return sendWebhook(parts, { id, url, secrets, body }, signal);
}

/** Failures for which a channel is never paused: the operator has to act. */
const NOT_ITS_FAULT: readonly Failure['code'][] = ['mail_not_set_up', 'mail_server_unreachable'];

/** @returns whether the channel was paused because of the result */
function saveResult(db: Database, delivery: ClaimedDelivery, attempt: Attempt): Promise<boolean> {
  const { error, httpStatus } = attempt;
  const { event } = delivery;
  const retryInMs = error === null ? null : pauseAfter(delivery, attempt);
  return db.transaction().execute(async (trx) => {
    const { id } = delivery.channel;
    // Channels are locked before deliveries, as when a channel is deleted with its deliveries.
    if ((await lockChannel(trx, id)) === undefined) return false;
    if (!(await saveAttempt(trx, delivery, { error, httpStatus, retryInMs }))) return false;
    if (error === null) await recordSuccess(trx, id);
    if (error === null) return false;
    return recordFailure(trx, id, error, {
      // A single failed attempt says little when nothing was sent for days: only failures that last a day pause the channel.
      failingDaysMax:
        retryInMs !== null || event === 'test' || NOT_ITS_FAULT.includes(error.code) ? null : FAILING_DAYS_MAX,
      isUnwanted: error.code === 'receiver_gone',
    });
  });
}

/** Returns the pause until the next attempt, in milliseconds; null if there is none. */
function pauseAfter({ event, attempts }: ClaimedDelivery, { waitMs, isFinal }: Attempt): number | null {
  const pauseMs = RETRIES_MS[attempts - 1];
  if (event === 'test' || isFinal || pauseMs === undefined) return null;
  return Math.max(pauseMs, Math.min(waitMs ?? 0, WAIT_MAX_MS));
}

/** Releases a delivery, so that another process can deliver it at once. If that fails, it is delivered when the claim ends. */
async function release({ db, log }: DeliveryParts, delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const failure = 'Could not release a notification';
  await waitOut(() => releaseDelivery(db, delivery), { signal, log, failure }).catch((error: unknown) =>
    log.warn({ reason: messageOf(error) }, failure),
  );
}
