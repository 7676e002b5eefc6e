import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { addApiRequests, takeAccountCredits } from '../store/credits.ts';
import type { Database } from '../store/database.ts';

/** Requests that cost one credit (section 8 of the contract). */
const REQUESTS_PER_CREDIT = 1_000;
/** How often counts are saved: a killed process loses at most this much. */
const FLUSH_INTERVAL_MS = 5_000;

export interface RequestCharge {
  /** Counts a request of an account in memory. */
  count(accountId: string): void;
  /** Saves the counts. What cannot be saved is kept for the next time. */
  flush(): Promise<void>;
  /** Saves the remaining counts. Never rejects. */
  close(): Promise<void>;
}

/** Charges accounts for API requests, which are counted in memory and saved every few seconds and at the end. */
export function createRequestCharge(db: Database, log: Logger): RequestCharge {
  let counts = new Map<string, number>();

  const add = (accountId: string, requests: number): void =>
    void counts.set(accountId, (counts.get(accountId) ?? 0) + requests);

  let flushing = Promise.resolve();
  const flush = (): Promise<void> => {
    flushing = flushing.then(async () => {
      const written = counts;
      counts = new Map();
      for (const [accountId, requests] of written) {
        await charge(db, accountId, requests).catch((error: unknown) => {
          add(accountId, requests);
          log.warn(
            { reason: messageOf(error), accountId },
            'Could not save the number of API requests; will try again',
          );
        });
      }
    });
    return flushing;
  };
  const timer = setInterval(flush, FLUSH_INTERVAL_MS).unref();

  return {
    count: (accountId) => add(accountId, 1),
    flush,
    close() {
      clearInterval(timer);
      return flush();
    },
  };
}

/** Takes the credits that have become due. If none are left, the requests are free, since they have been answered. */
function charge(db: Database, accountId: string, requests: number): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const due = await addApiRequests(trx, accountId, requests, REQUESTS_PER_CREDIT);
    if (due > 0) await takeAccountCredits(trx, accountId, due, 'api_requests');
  });
}
