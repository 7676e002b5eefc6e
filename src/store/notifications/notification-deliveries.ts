import { sql, type Transaction } from 'kysely';
import type { Failure } from '../../domain/failures/failure.ts';
import { isInUse } from '../accounts/account-states.ts';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { Schema } from '../schema.ts';
import { announceWork } from '../work-topics.ts';
import { findChannel } from './notification-channels.ts';
import { NOTIFICATIONS_TOPIC } from './notification-events.ts';
import type { NotificationChannel, NotificationDelivery } from './notification-tables.ts';

/** How long deliveries are kept. */
export const KEPT_DAYS = 7;

/** A delivery that this process attempts. Its `attempts` include this one, and are its fencing token. */
export interface ClaimedDelivery extends NotificationDelivery {
  readonly channel: NotificationChannel;
}

export interface BusyReceivers {
  readonly channels: readonly string[];
  readonly accounts: readonly string[];
}

/**
 * Claims the delivery that has been due longest, for an attempt: deliveries of active channels with a confirmed address, tests
 * and confirmation emails. Another process repeats the attempt after `seconds`.
 * @param claim.busy channels and accounts whose deliveries are not claimed, so that slow receivers do not hold up the others
 * @param claim.takesEmails whether emails are claimed
 */
export async function claimDelivery(
  db: Executor,
  {
    seconds,
    busy,
    takesEmails,
  }: { readonly seconds: number; readonly busy: BusyReceivers; readonly takesEmails: boolean },
): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<NotificationDelivery>`
    UPDATE notification_deliveries SET attempts = attempts + 1, last_attempt_at = now(),
      next_attempt_at = now() + make_interval(secs => ${seconds})
    WHERE id = (
      SELECT d.id FROM notification_deliveries d JOIN notification_channels c ON c.id = d.channel_id
      WHERE d.next_attempt_at <= now() AND d.channel_id <> ALL(${[...busy.channels]}::uuid[])
        AND c.account_id <> ALL(${[...busy.accounts]}::uuid[])
        AND (${takesEmails} OR c.kind <> 'email') AND ${isInUse(sql.ref('c.account_id'))}
        AND (c.active AND c.confirmed_at IS NOT NULL OR d.event IN ('test', 'confirmation'))
      ORDER BY d.next_attempt_at LIMIT 1 FOR NO KEY UPDATE OF d SKIP LOCKED)
    RETURNING *`.execute(db);
  const [delivery] = rows;
  if (delivery === undefined) return undefined;
  const channel = await findChannel(db, delivery.channel_id);
  return channel && { ...delivery, channel };
}

/** Stores the message, so that every attempt sends the same message. */
export async function saveMessage(db: Executor, { id }: Pick<ClaimedDelivery, 'id'>, message: object): Promise<void> {
  const json = JSON.stringify(message);
  await db.updateTable('notification_deliveries').set({ message: json }).where('id', '=', id).execute();
}

/** The result of an attempt. */
export interface AttemptResult {
  /** Null if it was delivered. */
  readonly error: Failure | null;
  /** Null without a response. */
  readonly httpStatus: number | null;
  /** Until the next attempt, in milliseconds; null for none. */
  readonly retryInMs: number | null;
}

/** Saves the result of an attempt, unless another attempt has begun since. Returns whether it was saved. */
export async function saveAttempt(
  trx: Transaction<Schema>,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
  { error, httpStatus, retryInMs }: AttemptResult,
): Promise<boolean> {
  const status = error === null ? 'delivered' : retryInMs === null ? 'failed' : 'pending';
  const { numAffectedRows = 0n } = await sql`
    UPDATE notification_deliveries SET status = ${status}, http_status = ${httpStatus},
      error = ${error === null ? null : JSON.stringify(error)}::jsonb,
      delivered_at = CASE WHEN ${error === null} THEN now() END,
      next_attempt_at = now() + make_interval(secs => ${retryInMs === null ? null : retryInMs / 1_000}::double precision)
    WHERE id = ${id} AND attempts = ${attempts} AND status = 'pending'`.execute(trx);
  if (numAffectedRows > 0n && status !== 'pending') await endDigested(trx, id, status);
  return numAffectedRows > 0n;
}

/** Deletes a delivery without content, with the deliveries of its digest, unless another attempt has begun since. */
export async function dropDelivery(
  db: Executor,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
): Promise<void> {
  await sql`
    WITH dropped AS (DELETE FROM notification_deliveries WHERE id = ${id} AND attempts = ${attempts} RETURNING id)
    DELETE FROM notification_deliveries WHERE digest_id IN (SELECT id FROM dropped)`.execute(db);
}

/** Sets the deliveries of a digest to the status of the digest. */
async function endDigested(trx: Transaction<Schema>, digestId: string, status: 'delivered' | 'failed'): Promise<void> {
  await sql`
    UPDATE notification_deliveries SET status = ${status}, delivered_at = CASE WHEN ${status === 'delivered'} THEN now() END
    WHERE digest_id = ${digestId}`.execute(trx);
}

/** Makes a delivery due again at once, because its attempt was interrupted. */
export async function releaseDelivery(
  db: Executor,
  { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
): Promise<void> {
  await sql`
    UPDATE notification_deliveries SET attempts = attempts - 1, next_attempt_at = now()
    WHERE id = ${id} AND attempts = ${attempts} AND status = 'pending'`.execute(db);
}

/** Returns a page of a channel's deliveries, newest first. */
export function listDeliveries(
  db: Executor,
  channelId: string,
  status: NotificationDelivery['status'] | undefined,
  page: PageRequest,
): Promise<ListPage<NotificationDelivery>> {
  let list = db.selectFrom('notification_deliveries').where('channel_id', '=', channelId);
  if (status !== undefined) list = list.where('status', '=', status);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}

export async function findDelivery(
  db: Executor,
  channelId: string,
  id: string,
): Promise<NotificationDelivery | undefined> {
  return db
    .selectFrom('notification_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('channel_id', '=', channelId)
    .executeTakeFirst();
}

/** Inserts a test, unless one is waiting. Returns the id of the new or the waiting test. */
export async function insertTest(trx: Transaction<Schema>, channelId: string): Promise<string> {
  const waiting = await trx
    .selectFrom('notification_deliveries')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('event', '=', 'test')
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return waiting?.id ?? insertNow(trx, channelId, 'test');
}

/** Inserts the email that asks for confirmation of a channel's address. Returns its id. */
export function insertConfirmation(trx: Transaction<Schema>, channelId: string): Promise<string> {
  return insertNow(trx, channelId, 'confirmation');
}

/** Returns the last confirmation email that is still stored, and how long ago it was sent; undefined if there is none. */
export async function lastConfirmation(
  trx: Transaction<Schema>,
  channelId: string,
): Promise<(Pick<NotificationDelivery, 'id' | 'status'> & { readonly ageSeconds: number }) | undefined> {
  return trx
    .selectFrom('notification_deliveries')
    .select(['id', 'status', sql<number>`extract(epoch FROM now() - inserted_at)::float8`.as('ageSeconds')])
    .where('channel_id', '=', channelId)
    .where('event', '=', 'confirmation')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Inserts a delivery that is due at once, without an event. Returns its id. */
async function insertNow(trx: Transaction<Schema>, channelId: string, event: 'test' | 'confirmation'): Promise<string> {
  await announceWork(trx, [NOTIFICATIONS_TOPIC]);
  const { id } = await trx
    .insertInto('notification_deliveries')
    .values({
      ...{ channel_id: channelId, event, key: sql<string>`${event}::text || ' ' || uuidv7()`, details: '{}' },
      next_attempt_at: sql<Date>`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Counts a confirmation email. Returns how many the account has sent today. */
export async function countConfirmationEmail(trx: Transaction<Schema>, accountId: string): Promise<number> {
  const today = sql`(now() AT TIME ZONE 'UTC')::date`;
  const { rows } = await sql<{ sent: number }>`
    INSERT INTO confirmation_emails AS m (account_id, day, sent) VALUES (${accountId}, ${today}, 1)
    ON CONFLICT (account_id) DO UPDATE SET sent = CASE WHEN m.day = ${today} THEN m.sent + 1 ELSE 1 END, day = ${today}
    RETURNING sent`.execute(trx);
  return rows[0]?.sent ?? 0;
}

/** Repeats a delivery that was delivered or has failed: the same message, with retries for another day. */
export async function repeatDelivery(trx: Transaction<Schema>, id: string): Promise<void> {
  await sql`
    UPDATE notification_deliveries SET status = 'pending', attempts = 0, next_attempt_at = now(), delivered_at = NULL, error = NULL,
      http_status = NULL
    WHERE id = ${id}`.execute(trx);
  await announceWork(trx, [NOTIFICATIONS_TOPIC]);
}

/** Deletes deliveries that are older than `KEPT_DAYS`. */
export async function deleteOldDeliveries(db: Executor): Promise<void> {
  await sql`
    DELETE FROM notification_deliveries WHERE inserted_at < now() - make_interval(days => ${sql.lit(KEPT_DAYS)})`.execute(
    db,
  );
}
