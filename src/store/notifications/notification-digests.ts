import { sql, type Transaction } from 'kysely';
import { isInUse } from '../accounts/account-states.ts';
import type { Executor } from '../database.ts';
import { countRows } from '../listing.ts';
import type { Schema } from '../schema.ts';
import { announceWork } from '../work-topics.ts';
import { NOTIFICATIONS_TOPIC } from './notification-events.ts';
import type { NotificationChannel, NotificationDelivery } from './notification-tables.ts';

/** Locks and returns the channel whose digest has been due longest. Skips channels that another process has locked. */
export async function lockDueDigest(trx: Transaction<Schema>): Promise<NotificationChannel | undefined> {
  return trx
    .selectFrom('notification_channels')
    .selectAll()
    .where('next_digest_at', '<=', sql<Date>`now()`)
    .where('active', '=', true)
    .where(isInUse(sql.ref('notification_channels.account_id')))
    .orderBy('next_digest_at')
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/**
 * Combines everything that waits for the digest of a channel, if there is anything, into one delivery, and sets the time of the
 * next digest.
 */
export async function makeDigest(trx: Transaction<Schema>, channelId: string, next: Date): Promise<void> {
  await trx.updateTable('notification_channels').set({ next_digest_at: next }).where('id', '=', channelId).execute();
  const { numAffectedRows = 0n } = await sql`
    WITH digest AS (
      INSERT INTO notification_deliveries (channel_id, event, key, details, next_attempt_at)
      SELECT ${channelId}, 'digest', 'digest ' || uuidv7(), '{}', now()
      WHERE EXISTS (SELECT FROM notification_deliveries WHERE channel_id = ${channelId} AND ${WAITS})
      RETURNING id)
    UPDATE notification_deliveries SET digest_id = digest.id FROM digest
    WHERE channel_id = ${channelId} AND ${WAITS}`.execute(trx);
  if (numAffectedRows > 0n) await announceWork(trx, [NOTIFICATIONS_TOPIC]);
}

/** Whether a delivery waits for the next digest of its channel. */
const WAITS = sql`status = 'held' AND digest_id IS NULL`;

/** Returns the events of a digest in the order in which they happened, at most `limit`. */
export async function deliveriesIn(db: Executor, digestId: string, limit: number): Promise<NotificationDelivery[]> {
  const held = db.selectFrom('notification_deliveries').selectAll().where('digest_id', '=', digestId);
  return held.orderBy('id').limit(limit).execute();
}

export async function countDeliveriesIn(db: Executor, digestId: string): Promise<number> {
  return countRows(db.selectFrom('notification_deliveries').where('digest_id', '=', digestId));
}

/** Makes everything that waits for a digest due separately, because there will be no digest. */
export async function releaseHeld(trx: Transaction<Schema>, channelId: string): Promise<void> {
  await sql`
    UPDATE notification_deliveries SET status = 'pending', next_attempt_at = now()
    WHERE channel_id = ${channelId} AND ${WAITS}`.execute(trx);
  await announceWork(trx, [NOTIFICATIONS_TOPIC]);
}
