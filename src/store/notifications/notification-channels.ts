import { sql, type Transaction, type Updateable } from 'kysely';
import type { Failure } from '../../domain/failures/failure.ts';
import type { Digest, NotificationEvent, WorseReason } from '../../domain/notifications.ts';
import type { Executor } from '../database.ts';
import { countRows, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { Schema } from '../schema.ts';
import { recordPause } from './notification-events.ts';
import type { NotificationChannel, NotificationChannelTable } from './notification-tables.ts';

/** The settings of a channel that its owner chooses, except the destination. */
export interface ChannelSettings {
  readonly name: string;
  readonly events: readonly NotificationEvent[];
  /** What triggers `schedule.got_worse`. */
  readonly worseWhen: readonly WorseReason[];
  /** The schedules whose reports trigger notifications; empty for every report. */
  readonly scheduleIds: readonly string[];
  readonly active: boolean;
  readonly digest: Digest;
  /** The hour at which the digest is sent, from 0 to 23. */
  readonly digestHour: number;
  readonly timeZone: string;
}

/** @param isConfirmed whether its address needs no confirmation */
export async function insertChannel(
  db: Executor,
  channel: Pick<NotificationChannel, 'account_id' | 'kind' | 'target' | 'next_digest_at'> & {
    readonly isConfirmed: boolean;
  },
  settings: ChannelSettings,
): Promise<string> {
  const { isConfirmed, ...columns } = channel;
  const { id } = await db
    .insertInto('notification_channels')
    .values({ ...columns, ...settingsColumns(settings), confirmed_at: isConfirmed ? sql<Date>`now()` : null })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export function settingsColumns(settings: ChannelSettings) {
  const { name, events, worseWhen, scheduleIds, active, digest, digestHour, timeZone } = settings;
  return {
    ...{ name, events: [...events], worse_when: [...worseWhen], schedule_ids: [...scheduleIds], active },
    ...{ digest, digest_hour: digestHour, time_zone: timeZone },
  };
}

export async function updateChannel(
  db: Executor,
  id: string,
  changes: Updateable<NotificationChannelTable>,
): Promise<void> {
  await db
    .updateTable('notification_channels')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute();
}

export async function findChannel(db: Executor, id: string): Promise<NotificationChannel | undefined> {
  return db.selectFrom('notification_channels').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns a channel and locks it until the transaction ends. */
export async function lockChannel(trx: Transaction<Schema>, id: string): Promise<NotificationChannel | undefined> {
  return trx.selectFrom('notification_channels').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Returns a page of an account's channels, newest first. */
export function listChannels(
  db: Executor,
  accountId: string,
  page: PageRequest,
): Promise<ListPage<NotificationChannel>> {
  const list = db.selectFrom('notification_channels').where('account_id', '=', accountId);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}

export async function countChannels(db: Executor, accountId: string): Promise<number> {
  return countRows(db.selectFrom('notification_channels').where('account_id', '=', accountId));
}

/** Deletes a channel with its deliveries. */
export async function deleteChannel(db: Executor, id: string): Promise<void> {
  await db.deleteFrom('notification_channels').where('id', '=', id).execute();
}

/** Returns the ids that are schedules of the account. */
export async function ownSchedules(db: Executor, accountId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM schedules WHERE account_id = ${accountId} AND id = ANY(${[...ids]}::uuid[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** Records that a channel works. */
export async function recordSuccess(trx: Transaction<Schema>, id: string): Promise<void> {
  await sql`
    UPDATE notification_channels SET last_delivered_at = now(), failing_since = NULL, last_error = NULL
    WHERE id = ${id}`.execute(trx);
}

/** Confirms the address of a channel. Returns false if there is no such channel. */
export async function confirmAddress(db: Executor, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE notification_channels SET confirmed_at = coalesce(confirmed_at, now()), updated_at = now()
    WHERE id = ${id}`.execute(db);
  return numAffectedRows > 0n;
}

/** Unsubscribes an address for its recipient: it receives emails again only after it is confirmed again. */
export async function withdrawAddress(db: Executor, id: string, error: Failure): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE notification_channels SET confirmed_at = NULL, last_error = ${JSON.stringify(error)}::jsonb, updated_at = now()
    WHERE id = ${id}`.execute(db);
  return numAffectedRows > 0n;
}

/**
 * Records that a delivery failed, and pauses the channel if all its deliveries have failed for some days, or if the receiver has
 * unsubscribed. If `failingDaysMax` is null, the failures are not the channel's fault, and do not pause it even if they last for
 * days.
 * @returns whether this paused it
 */
export async function recordFailure(
  trx: Transaction<Schema>,
  id: string,
  error: Failure,
  { failingDaysMax, isUnwanted }: { readonly failingDaysMax: number | null; readonly isUnwanted: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ isPaused: boolean }>`
    UPDATE notification_channels SET failing_since = coalesce(failing_since, now()), last_error = ${JSON.stringify(error)}::jsonb,
      active = active AND NOT ${isUnwanted}
        AND (${failingDaysMax}::integer IS NULL
          OR coalesce(failing_since, now()) > now() - make_interval(days => ${failingDaysMax}::integer))
    WHERE id = ${id} RETURNING old.active AND NOT new.active AS "isPaused"`.execute(trx);
  if (rows[0]?.isPaused !== true) return false;
  await sql`UPDATE notification_channels SET paused_at = now() WHERE id = ${id}`.execute(trx);
  await recordPause(trx, id);
  return true;
}
