import { setTimeout as delay } from 'node:timers/promises';
import type { FetchedPage } from '../domain/fetched-page.ts';
import { busyForMs } from '../egress/retry-after.ts';
import type { FetchPage } from './fetch-page.ts';
import { PATIENCE } from './limits.ts';
import type { RequestLimiter } from './rate-limiter.ts';

export interface Patience {
  /** Requests for one URL that the server is too busy for: the first and those after a rest. */
  readonly attemptsMax: number;
  /** The longest rest. A server that asks for more is not waited for. */
  readonly restMaxMs: number;
  /** The rest after `429 Too Many Requests` where the server names none; it doubles with each. */
  readonly defaultRestMs: number;
  /** Failures in a row after which the crawl slows down, each time. */
  readonly failuresMax: number;
  /** URLs given up for this reason, after which no more rests are taken: a site that is down stays down. */
  readonly givenUpMax: number;
}

/**
 * Fetches pages and does what a busy server asks for. After 429, and after 503 with `Retry-After`, the whole crawl rests
 * for that time, goes on at half its rate and asks for the URL again. After failures in a row it slows down as well; it
 * gets faster again while all is well. One of these is made for each crawl.
 */
export function createRetryingFetcher(
  fetchPage: FetchPage,
  limiter: RequestLimiter,
  patience: Patience = PATIENCE,
): (url: string, options: Omit<Parameters<FetchPage>[1], 'limiter'>) => Promise<FetchedPage> {
  let givenUp = 0;
  /** In a row. */
  let failures = 0;

  const noteHealth = (outcome: FetchedPage): void => {
    failures = hasFailed(outcome) ? failures + 1 : 0;
    if (failures === 0) limiter.recover();
    else if (failures % patience.failuresMax === 0) limiter.falter();
  };

  return async (url, options) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await fetchPage(url, { ...options, limiter });
      const restMs = restAfter(outcome, patience.defaultRestMs * 2 ** (attempt - 1));
      if (outcome.kind !== 'failed' || restMs === null) {
        noteHealth(outcome);
        return outcome;
      }
      const isHopeless = restMs > patience.restMaxMs || attempt >= patience.attemptsMax;
      if (isHopeless) givenUp += 1;
      if (isHopeless || givenUp > patience.givenUpMax) {
        return { ...outcome, failure: { code: 'too_busy', params: { why: outcome.failure } } };
      }
      limiter.slowDown(restMs);
      // The limiter holds back everybody; this one must not take the first slot before the rest has begun.
      await delay(restMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
    }
  };
}

/** Whether the server gave no answer, or one that it gives in trouble. */
function hasFailed(outcome: FetchedPage): boolean {
  return outcome.kind === 'failed' && (outcome.httpStatus === null || outcome.httpStatus >= 500);
}

/** Milliseconds to rest after an answer; null when it does not say that the server is busy. */
function restAfter(outcome: FetchedPage, defaultMs: number): number | null {
  if (outcome.kind !== 'failed' || outcome.httpStatus === null) return null;
  return busyForMs({ status: outcome.httpStatus, headers: outcome.headers ?? [] }, Date.now(), defaultMs);
}
