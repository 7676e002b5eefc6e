import { RetryLater } from '../../platform/errors.ts';

/** Lets a request of a token in. @throws RetryLater rate_limited */
export type AdmitRequest = (tokenId: number) => void;

const MINUTE_MS = 60_000;

/**
 * A limit for each token: no minute, whenever it begins, sees more requests than allowed. It counts the requests of this
 * process alone, and those that it lets in: to be refused costs nothing.
 * @param perMinute null for no limit
 * @param now a clock in milliseconds that never goes back
 */
export function limitRequests(perMinute: number | null, now: () => number = () => performance.now()): AdmitRequest {
  if (perMinute === null) return () => undefined;
  let logs = new Map<number, RequestLog>();
  let tidied = now();

  return (tokenId) => {
    const time = now();
    if (time - tidied >= MINUTE_MS) {
      logs = new Map([...logs].filter(([, { last }]) => time - last < MINUTE_MS));
      tidied = time;
    }
    const log = logs.get(tokenId) ?? { times: [], oldest: 0, last: time };
    const waitMs = (log.times[log.oldest] ?? Number.NEGATIVE_INFINITY) + MINUTE_MS - time;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      const detail = `This API token may make ${perMinute} requests a minute. Wait ${seconds} seconds.`;
      throw new RetryLater('rate_limited', detail, seconds);
    }
    log.times[log.oldest] = time;
    log.oldest = (log.oldest + 1) % perMinute;
    log.last = time;
    logs.set(tokenId, log);
  };
}

/** When the last requests of a token were let in, as many as are allowed in a minute: the next one takes the oldest's place. */
interface RequestLog {
  readonly times: number[];
  oldest: number;
  last: number;
}
