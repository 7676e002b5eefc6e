import { sql, Transaction } from 'kysely';
import { slicesOf } from '../../platform/slices.ts';
import type { Database, Executor } from '../database.ts';

/** The channel that notifies readers which accounts and reports have changed. */
export const CHANGES_CHANNEL = 'sitewarden_changes';

/** Commits with NOTIFY run one at a time in the whole server: a few per second per process are negligible. */
const ANNOUNCE_INTERVAL_MS = 200;
/** A payload may have 8,000 bytes, and a UUID with its separator has 37. */
const IDS_PER_NOTICE_MAX = 200;

interface Batch {
  readonly ids: Set<string>;
  readonly timer: NodeJS.Timeout;
}

/** The pending announcements, by connection pool of this process. */
const batches = new WeakMap<Database, Batch>();

/**
 * Announces that reports were changed: in a transaction, when it commits; otherwise within `ANNOUNCE_INTERVAL_MS`, together with
 * all other changes in that time. An announcement is lost with its process or connection, so readers also check for changes
 * periodically (`changesSince`).
 * @param ids the ids of the reports, and of the accounts that see them
 */
export async function announceChanges(db: Executor, ids: readonly string[]): Promise<void> {
  if (db instanceof Transaction) return notify(db, ids);
  const batch = batches.getOrInsertComputed(db, () => ({
    ids: new Set(),
    timer: setTimeout(() => void flushAnnouncements(db), ANNOUNCE_INTERVAL_MS).unref(),
  }));
  for (const id of ids) batch.ids.add(id);
}

/** Sends pending announcements. Never rejects. Call it before the pool is closed. */
export async function flushAnnouncements(db: Database): Promise<void> {
  const batch = batches.get(db);
  if (batch === undefined) return;
  batches.delete(db);
  clearTimeout(batch.timer);
  // Without this, the commit would make other transactions with NOTIFY wait for the disk, although it writes nothing.
  const unwritten = sql`, set_config('synchronous_commit', 'off', true)`;
  await notify(db, [...batch.ids], unwritten).catch(() => undefined);
}

/** Returns the ids in a notification. */
export function announcedIds(payload: string): string[] {
  return payload.split(' ');
}

/** @param more SQL to select along with the notifications */
async function notify(db: Executor, ids: readonly string[], more = sql``): Promise<void> {
  const payloads = [...slicesOf([...new Set(ids)], IDS_PER_NOTICE_MAX)].map((slice) => slice.join(' '));
  if (payloads.length === 0) return;
  await sql`SELECT pg_notify(${CHANGES_CHANNEL}, payload) ${more} FROM unnest(${payloads}::text[]) AS payload`.execute(
    db,
  );
}
