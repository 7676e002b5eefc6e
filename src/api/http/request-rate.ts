import { RetryLater } from '../../platform/errors.ts';

/** Admits a request of a holder. @throws RetryLater rate_limited */
export type AdmitRequest<Holder> = (holder: Holder) => void;

const MINUTE_MS = 60_000;

/**
 * Limits the requests of each holder in any period of 60 seconds. Counts only requests of this process that were admitted.
 * @param perMinute null for no limit
 * @param what what each holder has, in the error
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
      const detail = `This ${what} may make ${perMinute} requests a minute. Wait ${seconds} seconds.`;
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
