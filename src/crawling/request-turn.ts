import { setTimeout as delay } from 'node:timers/promises';
import { MissedTurn, type TakeTurn } from '../checks/check-engine.ts';
import type { HostLimits } from '../egress/host-limit/host-limits.ts';
import type { Slot } from '../egress/host-limit/slot-queue.ts';
import { waitOut } from '../platform/database-errors.ts';
import type { Logger } from '../platform/logger.ts';
import type { RateLimiter } from '../spider/rate-limiter.ts';
import type { Database } from '../store/database.ts';
import { deferRequests, isResting, reserveRequest } from '../store/request-turns.ts';

/** Milliseconds before its turn at which a check begins to get ready. Each turn that it misses doubles them. */
const LEAD_MIN_MS = 1_000;
const LEAD_MAX_MS = 8_000;
/** A turn that was missed by more is given up for another one. */
const LATE_MAX_MS = 100;
/** A turn that is farther away is left to others, with the check. More than what the spider reserves ahead at any rate. */
const FAR_TURN_MS = 30_000;

/**
 * Waits for a turn among all requests for documents of a report, in every process.
 * @throws the signal's reason when it aborts before
 */
export async function waitForTurn(db: Database, reportId: string, signal: AbortSignal): Promise<void> {
  await delay((await reserveRequest(db, reportId)) ?? 0, undefined, { signal });
}

/** Documents that one page of the browser requests in a second at most: each of them is checked in between. */
const OWN_REQUESTS_PER_SECOND = 10;

/** The browser's own request for the document of a check. */
export interface BrowserRequest {
  /**
   * Waits until shortly before a turn among the requests of the report and those to the host: time to get ready.
   * @param isPatient whether to wait however far the turn is
   * @throws FarTurn when it is too far to be waited for
   */
  near(isPatient: boolean): Promise<void>;
  readonly take: TakeTurn;
  /** The check has ended; so has the request. */
  over(): void;
}

/** The next turn of a report is so far that its checks had better be left to whoever has time then. */
export class FarTurn extends Error {
  override readonly name = 'FarTurn';
}

export function createBrowserRequest(
  { db, hosts, log }: { readonly db: Database; readonly hosts: HostLimits; readonly log: Logger },
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

  const ask = <Answer>(question: () => Promise<Answer>): Promise<Answer> =>
    waitOut(question, { signal: ends, log, failure: 'Could not take a turn among the requests of a report' });
  /** Milliseconds until the turn; another one where it was missed, and null where that is farther away. */
  const untilTurn = async (withinMs?: number): Promise<number | null> => {
    if (turnAt !== null && performance.now() - turnAt > LATE_MAX_MS) {
      turnAt = null;
      leadMs = Math.min(2 * leadMs, LEAD_MAX_MS);
    }
    if (turnAt === null) {
      const waitMs = await ask(() => reserveRequest(db, reportId, withinMs));
      if (waitMs === null) return null;
      turnAt = performance.now() + waitMs;
    }
    return turnAt - performance.now();
  };
  const pause = (ms: number): Promise<void> => delay(Math.max(0, ms), undefined, { signal: ends });
  const giveBack = (): void => {
    slot?.over();
    slot = null;
  };

  return {
    async near(isPatient) {
      for (;;) {
        // The turn is waited for without a slot, which others can use meanwhile.
        giveBack();
        const waitMs = await untilTurn(isPatient ? undefined : FAR_TURN_MS);
        if (waitMs === null) throw new FarTurn();
        await pause(waitMs - leadMs);
        slot = await user.acquire(ends, url);
        // It may have come when this had ended: nobody else would give it back.
        if (ended.signal.aborted) giveBack();
        ends.throwIfAborted();
        const leftMs = await untilTurn(leadMs);
        if (leftMs !== null && leftMs <= leadMs) return;
      }
    },
    async take() {
      const waitMs = await untilTurn(leadMs);
      if (waitMs === null || waitMs > leadMs) throw new MissedTurn('The turn has passed, and the next one is far');
      await pause(waitMs);
      if (await ask(() => isResting(db, reportId))) {
        turnAt = null;
        throw new MissedTurn('The site has asked to be left alone since the turn was reserved');
      }
      mayBeWritten = true;
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
