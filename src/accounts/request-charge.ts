import { messageOf } from '../platform/errors.ts';
import type { Logger } from '../platform/logger.ts';
import { addApiRequests, takeAccountCredits } from '../store/credits.ts';
import type { Database } from '../store/database.ts';

/** Requests that cost one credit (section 8 of the contract). */
const REQUESTS_PER_CREDIT = 1_000;
/** How often counts are written down, and so what a process that is killed forgets at most. */
const FLUSH_INTERVAL_MS = 5_000;

export interface RequestCharge {
  /** Counts a request of an account; costs no write. */
  count(accountId: string): void;
  /** Writes down what was counted; what could not be written is kept for the next time. */
  flush(): Promise<void>;
  /** Writes down what is left. Never rejects. */
  close(): Promise<void>;
}

/** Charges accounts for their API requests: counted in memory, written down every few seconds and at the end. */
export function createRequestCharge(db: Database, log: Logger): RequestCharge {
  let counts = new Map<string, number>();

  const flush = async (): Promise<void> => {
    const written = counts;
    counts = new Map();
    for (const [accountId, requests] of written) {
      try {
        await charge(db, accountId, requests);
      } catch (error) {
        counts.set(accountId, (counts.get(accountId) ?? 0) + requests);
        log.warn({ reason: messageOf(error), accountId }, 'Could not write down API requests; will try again');
      }
    }
  };

  let flushing = Promise.resolve();
  const flushInTurn = (): Promise<void> => {
    flushing = flushing.then(flush);
    return flushing;
  };
  const timer = setInterval(flushInTurn, FLUSH_INTERVAL_MS).unref();

  return {
    count: (accountId) => void counts.set(accountId, (counts.get(accountId) ?? 0) + 1),
    flush: flushInTurn,
    async close() {
      clearInterval(timer);
      await flushInTurn();
    },
  };
}

/** Takes the credits that have become due; with none left the requests are free, since they were answered. */
function charge(db: Database, accountId: string, requests: number): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const due = await addApiRequests(trx, accountId, requests, REQUESTS_PER_CREDIT);
    if (due > 0) await takeAccountCredits(trx, accountId, due, 'api_requests');
  });
}
