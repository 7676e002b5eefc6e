import { setTimeout as delay } from 'node:timers/promises';
import { MissedTurn, type RequestTurn } from '../checks/check-engine.ts';
import type { HostLimits } from '../egress/host-limit/host-limits.ts';
import type { Slot } from '../egress/host-limit/slot-queue.ts';
import type { RateLimiter } from '../spider/rate-limiter.ts';
import type { Database } from '../store/database.ts';
import { deferRequests, reserveRequest } from '../store/request-turns.ts';

/** Milliseconds before its turn at which a check begins to get ready. Each turn that it misses doubles them. */
const LEAD_MIN_MS = 1_000;
const LEAD_MAX_MS = 8_000;
/** A turn that was missed by more is given up for another one. */
const LATE_MAX_MS = 100;

/**
 * Waits for a turn among all requests for documents of a report, in every process.
 * @throws the signal's reason when it aborts before
 */
export async function waitForTurn(db: Database, reportId: string, signal: AbortSignal): Promise<void> {
  await delay(await reserveRequest(db, reportId), undefined, { signal });
}

/** Documents that one page of the browser requests in a second at most: each of them is checked in between. */
const OWN_REQUESTS_PER_SECOND = 10;

/** The browser's own request for the document of a check. */
export interface BrowserRequest {
  /** A turn among the requests of the report and those to the host. */
  readonly turn: RequestTurn;
  /** The check has ended; so has the request. */
  over(): void;
}

export function createBrowserRequest(
  { db, hosts }: { readonly db: Database; readonly hosts: HostLimits },
  { reportId, url }: { readonly reportId: string; readonly url: string },
  signal: AbortSignal,
): BrowserRequest {
  const user = hosts.join(reportId, OWN_REQUESTS_PER_SECOND);
  const ended = new AbortController();
  const ends = AbortSignal.any([signal, ended.signal]);
  let leadMs = LEAD_MIN_MS;
  let turnAt: number | null = null;
  let slot: Slot | null = null;
  let mayBeWritten = false;

  /** Milliseconds until the turn; another one where it was missed. */
  const untilTurn = async (): Promise<number> => {
    if (turnAt !== null && performance.now() - turnAt > LATE_MAX_MS) {
      turnAt = null;
      leadMs = Math.min(2 * leadMs, LEAD_MAX_MS);
    }
    if (turnAt === null) {
      const waitMs = await reserveRequest(db, reportId);
      turnAt = performance.now() + waitMs;
    }
    return turnAt - performance.now();
  };
  const pause = (ms: number): Promise<void> => delay(Math.max(0, ms), undefined, { signal: ends });
  const giveBack = (): void => {
    slot?.over();
    slot = null;
  };

  const take = async (): Promise<void> => {
    const waitMs = await untilTurn();
    if (waitMs > leadMs) throw new MissedTurn('The turn has passed, and the next one is far');
    await pause(waitMs);
    mayBeWritten = true;
  };
  return {
    turn: {
      async near() {
        for (;;) {
          // The turn is waited for without a slot, which others can use meanwhile.
          giveBack();
          await pause((await untilTurn()) - leadMs);
          slot = await user.acquire(ends, url);
          // It may have come when this had ended: nobody else would give it back.
          if (ended.signal.aborted) giveBack();
          ends.throwIfAborted();
          if ((await untilTurn()) <= leadMs) return take;
        }
      },
    },
    over() {
      ended.abort(new Error('The check has ended'));
      if (mayBeWritten) {
        // The browser does not tell when it wrote the request. By now it did, if it ever does.
        slot?.written();
        slot?.answered();
      }
      giveBack();
      user.leave();
    },
  };
}

/** A limiter of the spider's requests that leaves room for those of the browser. */
export function sharedLimiter(limiter: RateLimiter, db: Database, reportId: string, ends: AbortSignal): RateLimiter {
  return {
    ...limiter,
    slowDown(restMs) {
      limiter.slowDown(restMs);
      // The browser rests, too. Should that not become known, the site will tell it.
      void deferRequests(db, reportId, restMs).catch(() => undefined);
    },
    async acquire(signal = ends) {
      await waitForTurn(db, reportId, signal);
      return limiter.acquire(signal);
    },
  };
}
