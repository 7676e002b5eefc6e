/** The promise to a server: never more than this many milliseconds' worth of requests in as many milliseconds. */
const windowMs = 1_000;
/**
 * How much later than it was written a request may reach the server while its answer is still out. An answer that comes
 * sooner ends the doubt; one that comes later costs at most this much of every second.
 */
const arrivalMarginMs = 100;
/** How much farther apart requests get at most when a site is busy. */
const slowestShare = 16;
/** Answered requests have arrived for certain; this absorbs the rounding of two clocks. */
const clockMarginMs = 1;

/** The time source of a limiter; another one lets tests run hours in milliseconds. */
export interface LimiterClock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Calls back after at least this many milliseconds; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

/** The right to send one request. Tell it what becomes of the request; calls that come late or twice do no harm. */
interface Slot {
  /** The request head was handed to the socket. */
  written(): void;
  /** The server's answer began, so the request had reached it. */
  answered(): void;
  /** The request failed or will not be sent. Gives the right back if nothing was written. */
  abandoned(): void;
}

export interface RateLimiter {
  /**
   * Waits for the next slot, first come first served.
   * @throws the signal's reason when it aborts before the slot is there
   */
  acquire(signal?: AbortSignal): Promise<Slot>;
  /** Gives no slot for `restMs` milliseconds, and afterwards half as many a second as before, but not ever fewer. */
  slowDown(restMs: number): void;
  /** Lets requests come at least this many milliseconds apart. */
  spaceOut(spacingMs: number): void;
}

export interface RateLimiterOptions {
  /** A whole number from 1. */
  readonly requestsPerSecond: number;
  /** True after a restart: what was sent in the last second is not known, so the first slot comes a second later. */
  readonly resumed?: boolean;
  readonly clock?: LimiterClock;
}

interface Waiter {
  readonly give: (slot: Slot) => void;
}

const systemClock: LimiterClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Limits the requests to one site: at the server, no window of one second holds more than `requestsPerSecond`, and
 * they come evenly spread.
 *
 * A slot is given only when fewer than `requestsPerSecond` earlier ones are open. A slot is open from when it is given
 * until a second after its request is known to have arrived: after the answer, or `arrivalMarginMs` after the write
 * when the answer takes longer. So of any `requestsPerSecond` + 1 requests the last was given out, and therefore
 * arrived, a second or more after one of the others had arrived. Time that a connection takes to open lies between
 * giving and writing, and delays the slots behind it instead of bunching requests up at the server.
 *
 * @throws RangeError when `requestsPerSecond` is no whole number from 1
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { requestsPerSecond, resumed = false, clock = systemClock } = options;
  if (!Number.isInteger(requestsPerSecond) || requestsPerSecond < 1) {
    throw new RangeError(`requestsPerSecond must be a whole number from 1, not ${requestsPerSecond}`);
  }
  let spacingMs = windowMs / requestsPerSecond;
  let spacingMaxMs = spacingMs * slowestShare;
  const waiters = new Set<Waiter>();
  /** Times at which written requests leave the window. At most about `requestsPerSecond` of them. */
  let occupied: { freeAt: number }[] = [];
  let unwritten = 0;
  let dueAt = resumed ? clock.now() + windowMs + arrivalMarginMs : clock.now();
  let cancelTimer: (() => void) | null = null;

  function serve(): void {
    cancelTimer?.();
    cancelTimer = null;
    for (const waiter of waiters) {
      const waitMs = nextWaitMs();
      // While only unwritten requests stand in the way, the next write or failure comes back here.
      if (waitMs === Number.POSITIVE_INFINITY) return;
      if (waitMs > 0) {
        cancelTimer = clock.after(Math.ceil(waitMs), serve);
        return;
      }
      // A timer that comes late is made up for, but never by more than half a gap, so that requests stay spread.
      dueAt = Math.max(dueAt, clock.now() - spacingMs / 2) + spacingMs;
      unwritten += 1;
      waiters.delete(waiter);
      waiter.give(createSlot());
    }
  }

  /** Milliseconds until a slot may be given: 0 for now, infinite when only a write can tell. */
  function nextWaitMs(): number {
    const now = clock.now();
    occupied = occupied.filter((request) => request.freeAt > now);
    const surplus = occupied.length + unwritten - requestsPerSecond;
    if (surplus < 0) return Math.max(0, dueAt - now);
    const freeAt = occupied.map((request) => request.freeAt).sort((a, b) => a - b)[surplus];
    return freeAt === undefined ? Number.POSITIVE_INFINITY : Math.max(freeAt, dueAt) - now;
  }

  function createSlot(): Slot {
    let open = true;
    let request: { freeAt: number } | null = null;
    return {
      written() {
        request = { freeAt: clock.now() + windowMs + arrivalMarginMs };
        occupied.push(request);
        if (open) unwritten -= 1;
        open = false;
        serve();
      },
      answered() {
        if (request === null) return;
        request.freeAt = Math.min(request.freeAt, clock.now() + windowMs + clockMarginMs);
        serve();
      },
      abandoned() {
        if (!open) return;
        open = false;
        unwritten -= 1;
        serve();
      },
    };
  }

  return {
    spaceOut(atLeastMs) {
      // What was given out already counts with the new spacing, too.
      if (atLeastMs > spacingMs) dueAt += atLeastMs - spacingMs;
      spacingMs = Math.max(spacingMs, atLeastMs);
      spacingMaxMs = Math.max(spacingMaxMs, atLeastMs);
    },
    slowDown(restMs) {
      dueAt = Math.max(dueAt, clock.now() + restMs);
      spacingMs = Math.min(2 * spacingMs, spacingMaxMs);
    },
    acquire(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Slot>();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const waiter: Waiter = {
        give(slot) {
          signal?.removeEventListener('abort', giveUp);
          resolve(slot);
        },
      };
      function giveUp(): void {
        waiters.delete(waiter);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', giveUp, { once: true });
      waiters.add(waiter);
      serve();
      return promise;
    },
  };
}
