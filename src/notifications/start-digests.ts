import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startBackgroundWork } from '../queue/background-work.ts';
import type { Worker } from '../queue/worker.ts';
import type { Database } from '../store/database.ts';
import { lockDueDigest, makeDigest } from '../store/notifications/notification-digests.ts';
import { NOTIFICATIONS_TOPIC } from '../store/notifications/notification-events.ts';
import { nextDigest } from './next-digest.ts';

/** Creates the digests of channels when they are due, until stopped. Several processes may do so at the same time. */
export function startDigests(parts: {
  readonly db: Database;
  readonly worker: Worker;
  readonly clock: Clock;
  readonly log: Logger;
}): { stop(): Promise<void> } {
  return startBackgroundWork(parts, {
    topic: NOTIFICATIONS_TOPIC,
    doNext: () => makeDueDigest(parts.db, parts.clock),
    failure: 'Could not create the digest of a notification channel; will retry',
  });
}

/** @returns false if none is due, or other processes are creating all due digests */
function makeDueDigest(db: Database, clock: Clock): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const channel = await lockDueDigest(trx);
    if (channel === undefined) return false;
    const { digest_hour: hour, time_zone: timeZone } = channel;
    await makeDigest(trx, channel.id, nextDigest({ hour, timeZone }, clock()));
    return true;
  });
}
