import { AppError } from '../platform/errors.ts';

/** More requests than the operator allows. */
export class TooManyRequests extends AppError {
  readonly retryAfterSeconds: number;

  constructor(perMinute: number, retryAfterSeconds: number) {
    const detail = `This API token may make ${perMinute} requests a minute. Wait ${retryAfterSeconds} seconds.`;
    super('rate_limited', detail);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Lets a request of a token in. @throws TooManyRequests */
export type AdmitRequest = (tokenId: number) => void;

const MINUTE_MS = 60_000;
/** Tokens remembered before those that have long been quiet are forgotten. */
const REMEMBERED_TOKENS = 10_000;

/**
 * A limit for each token: a minute's requests may come at once, further ones evenly over the minute. It counts the
 * requests of this process alone.
 * @param perMinute null for no limit
 * @param now a clock in milliseconds that never goes back
 */
export function limitRequests(perMinute: number | null, now: () => number = () => performance.now()): AdmitRequest {
  if (perMinute === null) return () => undefined;
  const intervalMs = MINUTE_MS / perMinute;
  /** For each token the time at which all it has asked for would have come at an even rate. */
  const evenTimes = new Map<number, number>();

  return (tokenId) => {
    const time = now();
    const evenTime = Math.max(evenTimes.get(tokenId) ?? 0, time) + intervalMs;
    const waitMs = evenTime - time - MINUTE_MS;
    // Sums of fractions of a millisecond are not exact.
    if (waitMs > 0.001) throw new TooManyRequests(perMinute, Math.ceil(waitMs / 1_000));
    if (evenTimes.size >= REMEMBERED_TOKENS) forgetQuiet(evenTimes, time);
    evenTimes.set(tokenId, evenTime);
  };
}

function forgetQuiet(evenTimes: Map<number, number>, time: number): void {
  for (const [tokenId, evenTime] of evenTimes) if (evenTime <= time) evenTimes.delete(tokenId);
}
