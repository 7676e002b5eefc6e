import { setTimeout as delay } from 'node:timers/promises';
import type { RequestTurn } from '../checks/check-engine.ts';
import type { RateLimiter } from '../spider/rate-limiter.ts';
import type { Slot } from '../spider/slot-queue.ts';
import type { Database } from '../store/database.ts';
import { deferRequests, reserveRequest } from '../store/request-turns.ts';
import type { HostLimits } from './host-limits.ts';

/** Within this time a browser has a page ready in which to send the request. */
const LEAD_MS = 1_000;
/** A turn that was missed by more is given up for another one. */
const LATE_MAX_MS = 100;

/** A turn among all requests for documents of a report, in every process. Rejects when the signal is aborted. */
export function createRequestTurn(db: Database, reportId: string, signal: AbortSignal): RequestTurn {
  let at: number | null = null;

  const reserve = async (): Promise<number> => {
    const waitMs = await reserveRequest(db, reportId);
    return performance.now() + waitMs;
  };
  const waitUntil = (time: number) => delay(Math.max(0, time - performance.now()), undefined, { signal });

  return {
    async near() {
      at = await reserve();
      await waitUntil(at - LEAD_MS);
    },
    async take() {
      if (at === null || performance.now() - at > LATE_MAX_MS) at = await reserve();
      await waitUntil(at);
    },
  };
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
  const ofReport = createRequestTurn(db, reportId, signal);
  const user = hosts.join(reportId, OWN_REQUESTS_PER_SECOND);
  let slot: Slot | null = null;
  return {
    turn: {
      near: ofReport.near,
      async take() {
        // First, since the report's turn passes.
        slot ??= await user.acquire(signal, url);
        await ofReport.take();
      },
    },
    over() {
      // The browser does not tell when it wrote the request. By now it did, if it ever does.
      slot?.written();
      slot?.answered();
      slot?.over();
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
      await createRequestTurn(db, reportId, signal).take();
      return limiter.acquire(signal);
    },
  };
}
