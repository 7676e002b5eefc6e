import { messageOf, RetryLater } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { addApiRequests, takeAccountCredits } from '../../store/credits/credits.ts';
import type { Database } from '../../store/database.ts';

/** Admits a request of a holder. @throws RetryLater rate_limited */
export type AdmitRequest<Holder> = (holder: Holder) => void;

const MINUTE_MS = 60_000;

/**
 * Limits the requests of each holder in any period of 60 seconds. Counts only requests of this process that were admitted.
 * @param perMinute null for no limit
 * @param what the name of each holder's credential, in the error
 * @param now a monotonic clock, in milliseconds
 */
export function limitRequests<Holder>(
  perMinute: number | null,
  what = 'API token',
  now: () => number = () => performance.now(),
): AdmitRequest<Holder> {
  if (perMinute === null) return () => undefined;
  let logs = new Map<Holder, RequestLog>();
  let prunedAt = now();

  return (holder) => {
    const time = now();
    if (time - prunedAt >= MINUTE_MS) {
      logs = new Map([...logs].filter(([, { last }]) => time - last < MINUTE_MS));
      prunedAt = time;
    }
    const log = logs.get(holder) ?? { times: [], oldest: 0, last: time };
    const waitMs = (log.times[log.oldest] ?? Number.NEGATIVE_INFINITY) + MINUTE_MS - time;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      const detail = `This ${what} can make ${perMinute} requests per minute. Try again in ${seconds} seconds.`;
      throw new RetryLater('rate_limited', detail, seconds);
    }
    log.times[log.oldest] = time;
    log.oldest = (log.oldest + 1) % perMinute;
    log.last = time;
    logs.set(holder, log);
  };
}

/** A ring buffer of the times at which the last requests of a holder were admitted, as many as a minute allows. */
interface RequestLog {
  readonly times: number[];
  oldest: number;
  last: number;
}

/** Requests that cost one credit (docs/contract/semantics.md#credits). */
const REQUESTS_PER_CREDIT = 1_000;
/** How often counts are saved: a killed process loses at most this much. */
const FLUSH_INTERVAL_MS = 5_000;

interface RequestCharge {
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
          log.warn({ reason: messageOf(error), accountId }, 'Could not save the number of API requests; will retry');
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

/** Takes the credits that have become due. If none are left, the requests are free, because they have already been handled. */
function charge(db: Database, accountId: string, requests: number): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const due = await addApiRequests(trx, accountId, requests, REQUESTS_PER_CREDIT);
    if (due > 0) await takeAccountCredits(trx, accountId, due, 'api_requests');
  });
}
