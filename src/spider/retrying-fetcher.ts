import { setTimeout as delay } from 'node:timers/promises';
import type { FetchedPage } from '../domain/fetched-page.ts';
import { busyForMs } from '../egress/response-head.ts';
import type { FetchPage } from './fetch-page.ts';
import { RETRY_LIMITS } from './limits.ts';
import type { RequestLimiter } from './rate-limiter.ts';

/**
 * Fetches the pages of one crawl, and obeys busy servers. After 429, and after 503 with `Retry-After`, the whole crawl rests
 * for that time, continues at half its rate and requests the URL again. After several failures in a row it slows down too. It
 * speeds up again while requests succeed.
 */
export function createRetryingFetcher(
  fetchPage: FetchPage,
  limiter: RequestLimiter,
  limits: Readonly<Record<keyof typeof RETRY_LIMITS, number>> = RETRY_LIMITS,
): (url: string, options: Omit<Parameters<FetchPage>[1], 'limiter'>) => Promise<FetchedPage> {
  let givenUp = 0;
  /** In a row. */
  let failures = 0;

  const noteHealth = (outcome: FetchedPage): void => {
    failures = hasFailed(outcome) ? failures + 1 : 0;
    if (failures === 0) limiter.recover();
    else if (failures % limits.failuresMax === 0) limiter.falter();
  };

  return async (url, options) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await fetchPage(url, { ...options, limiter });
      const restMs = restAfter(outcome, limits.defaultRestMs * 2 ** (attempt - 1));
      if (outcome.kind !== 'failed' || restMs === null) {
        noteHealth(outcome);
        return outcome;
      }
      const isHopeless = restMs > limits.restMaxMs || attempt >= limits.attemptsMax;
      if (isHopeless) givenUp += 1;
      if (isHopeless || givenUp > limits.givenUpMax) {
        return { ...outcome, failure: { code: 'too_busy', params: { why: outcome.failure } } };
      }
      limiter.slowDown(restMs);
      // The limiter delays all other requests; this one must not take a slot meanwhile.
      await delay(restMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  };
}

/** Whether the server gave no answer, or a server error. */
function hasFailed(outcome: FetchedPage): boolean {
  return outcome.kind === 'failed' && (outcome.httpStatus === null || outcome.httpStatus >= 500);
}

/** Returns the milliseconds to rest after an answer; null if the server is not busy. */
function restAfter(outcome: FetchedPage, defaultMs: number): number | null {
  if (outcome.kind !== 'failed' || outcome.httpStatus === null) return null;
  return busyForMs({ status: outcome.httpStatus, headers: outcome.headers ?? [] }, Date.now(), defaultMs);
}
