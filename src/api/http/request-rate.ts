import { messageOf, RetryLater } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CountExchange, UseOfOther } from '../../store/counts/count-exchange.ts';
import { addApiRequests, takeAccountCredits } from '../../store/credits/credits.ts';
import type { Database } from '../../store/database.ts';

/** Admits a request of a holder. @throws RetryLater rate_limited */
export type AdmitRequest<Holder> = (holder: Holder) => void;

export interface RequestLimitOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** Makes requests to other processes count, too. Default: only requests to this process count. */
  readonly exchange?: Pick<CountExchange, 'add' | 'others'>;
}

export const MINUTE_MS = 60_000;
/** The share of the allowed requests that a process may admit before it informs the others at once. */
const URGENT_SHARE = 0.05;

/**
 * Limits the requests of each holder in any period of 60 seconds. Counts only requests that were admitted.
 * @param perMinute null for no limit
 * @param what the name of each holder's credential, in the error
 */
export function limitRequests<Holder extends string | number>(
  perMinute: number | null,
  what = 'API token',
  { now = () => performance.now(), exchange }: RequestLimitOptions = {},
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
    const name = `${what} ${holder}`;
    const waitMs = waitOf(log, perMinute, time, exchange?.others(name) ?? []);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      const detail = `This ${what} can make ${perMinute} requests per minute. Try again in ${seconds} seconds.`;
      throw new RetryLater('rate_limited', detail, seconds);
    }
    log.times[log.oldest] = time;
    log.oldest = (log.oldest + 1) % perMinute;
    log.last = time;
    logs.set(holder, log);
    exchange?.add(name, Math.max(1, Math.floor(perMinute * URGENT_SHARE)));
  };
}

/** A ring buffer of the times at which the last requests of a holder were admitted, as many as a minute allows. */
interface RequestLog {
  readonly times: number[];
  oldest: number;
  last: number;
}

/**
 * Returns the milliseconds until a request can be admitted; 0 for now. As time goes by, requests to other processes stop
 * counting.
 */
function waitOf(
  { times, oldest }: RequestLog,
  perMinute: number,
  time: number,
  others: readonly Pick<UseOfOther, 'amount' | 'countsForMs'>[],
): number {
  /** Returns the milliseconds until this process has admitted fewer than `allowed` requests in a minute. */
  const ownWaitMs = (allowed: number): number => {
    const first = times[(oldest - allowed + perMinute) % perMinute];
    return first === undefined ? 0 : Math.max(0, first + MINUTE_MS - time);
  };
  let allowed = perMinute - others.reduce((sum, { amount }) => sum + amount, 0);
  let waitMs = allowed > 0 ? ownWaitMs(allowed) : Number.POSITIVE_INFINITY;
  for (const { amount, countsForMs } of others.toSorted((one, other) => one.countsForMs - other.countsForMs)) {
    allowed += amount;
    if (allowed > 0) waitMs = Math.min(waitMs, Math.max(countsForMs, ownWaitMs(allowed)));
  }
  return waitMs;
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

/** Charges accounts for API requests, which are counted in memory and saved every few seconds and on shutdown. */
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

/** Charges the credits that are due. If none are left, the requests are free, because they have already been handled. */
function charge(db: Database, accountId: string, requests: number): Promise<void> {
  return db.transaction().execute(async (trx) => {
    const due = await addApiRequests(trx, accountId, requests, REQUESTS_PER_CREDIT);
    if (due > 0) await takeAccountCredits(trx, accountId, due, 'api_requests');
  });
}
