/** The promise to a server: never more than this many milliseconds' worth of requests in as many milliseconds. */
const windowMs = 1_000;
/**
 * How much later than it was written a request may reach the server while its answer is still out. An answer that comes
 * sooner ends the doubt; one that comes later costs at most this much of every second.
 */
const arrivalMarginMs = 100;
/** How long a request may count after it was written. */
export const aftermathMs = windowMs + arrivalMarginMs;
/** Answered requests have arrived for certain; this absorbs the rounding of two clocks. */
const clockMarginMs = 1;

/** The time source of a limiter; another one lets tests run hours in milliseconds. */
export interface LimiterClock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Calls back after at least this many milliseconds; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void;
}

export const limiterClock: LimiterClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The right to send one request. Tell it what becomes of the request; calls that come late or twice do no harm. */
export interface Slot {
  /** The request head was handed to the socket. */
  written(): void;
  /** The server's answer began, so the request had reached it. */
  answered(): void;
  /** The request has ended, whatever came of it, or will not be sent. Gives the right back if nothing was written. */
  over(): void;
}

/** When slots are given out. Asked each time, so that the answers may change. */
export interface SlotRules {
  /** Slots that may be open at a time, which is the limit for requests in any second (see `OpenSlots`). */
  openMax(): number;
  /** Milliseconds between two slots. */
  spacingMs(): number;
  /** Milliseconds that a slot which comes late is made up for: the next ones may follow sooner. */
  catchUpMs(): number;
  /** Requests that may be under way at a time. */
  inFlightMax(): number;
  /** A request has ended so many milliseconds after it was written. */
  took?(ms: number): void;
}

/** Gives out slots, first come first served. */
export interface SlotQueue {
  /** @throws the signal's reason when it aborts before the slot is there */
  acquire(signal?: AbortSignal): Promise<Slot>;
  /** Gives no slot for so many milliseconds from now. */
  rest(ms: number): void;
  /** How many slots are open. */
  openCount(): number;
  /** Looks again, since the rules have changed. */
  update(): void;
}

export function createSlotQueue(rules: SlotRules, clock: LimiterClock = limiterClock): SlotQueue {
  const waiters = new Set<(slot: Slot) => void>();
  const slots = createOpenSlots(clock.now);
  let inFlight = 0;
  let restsUntil = clock.now();
  /** When the latest slot was to be given. */
  let lastDueAt = clock.now() - rules.spacingMs();
  let cancelTimer: (() => void) | null = null;

  function serve(): void {
    cancelTimer?.();
    cancelTimer = null;
    for (const give of waiters) {
      const waitMs = nextWaitMs();
      // What stands in the way comes back here.
      if (waitMs === Number.POSITIVE_INFINITY) return;
      if (waitMs > 0) {
        cancelTimer = clock.after(Math.ceil(waitMs), serve);
        return;
      }
      lastDueAt = Math.max(lastDueAt + rules.spacingMs(), clock.now() - rules.catchUpMs());
      waiters.delete(give);
      give(createSlot());
    }
  }

  /** Milliseconds until a slot may be given: 0 for now, infinite when only a request or new rules can tell. */
  function nextWaitMs(): number {
    if (inFlight >= rules.inFlightMax()) return Number.POSITIVE_INFINITY;
    const dueAt = Math.max(lastDueAt + rules.spacingMs(), restsUntil);
    return Math.max(0, dueAt - clock.now(), slots.waitMs(rules.openMax()));
  }

  function createSlot(): Slot {
    const slot = slots.open();
    let writtenAt: number | null = null;
    let isOver = false;
    inFlight += 1;
    return {
      written() {
        writtenAt = clock.now();
        slot.written();
        serve();
      },
      answered() {
        if (slot.answered()) serve();
      },
      over() {
        if (isOver) return;
        isOver = true;
        inFlight -= 1;
        slot.drop();
        if (writtenAt !== null) rules.took?.(clock.now() - writtenAt);
        serve();
      },
    };
  }

  return {
    openCount: slots.count,
    update: serve,
    rest(ms) {
      restsUntil = Math.max(restsUntil, clock.now() + ms);
    },
    acquire(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Slot>();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const give = (slot: Slot): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(slot);
      };
      function giveUp(): void {
        waiters.delete(give);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', giveUp, { once: true });
      waiters.add(give);
      serve();
      return promise;
    },
  };
}

/** What becomes of a request that a slot was given for. */
interface OpenSlot {
  /** Nothing was written, and nothing will be: the slot is closed. Does nothing once something was written. */
  drop(): void;
  written(): void;
  /** Gives whether it was written before. */
  answered(): boolean;
}

/**
 * The slots of a limiter that are open. A slot is open from when it is given until a second after its request is known
 * to have arrived: after the answer, or `arrivalMarginMs` after the write when the answer takes longer. So all requests
 * that arrive within a second have slots that are open when the last of them arrives: where never more than some number
 * of slots is open, never more requests arrive in a second, whatever writes, connections and answers take.
 */
interface OpenSlots {
  open(): OpenSlot;
  /** How many are open. */
  count(): number;
  /** Milliseconds until fewer than `max` are open: 0 for now, infinite when only a write or a drop can tell. */
  waitMs(max: number): number;
}

function createOpenSlots(now: () => number): OpenSlots {
  /** Times at which written requests leave the window. */
  let occupied: { freeAt: number }[] = [];
  let unwritten = 0;

  function count(): number {
    const time = now();
    occupied = occupied.filter((request) => request.freeAt > time);
    return occupied.length + unwritten;
  }

  return {
    count,
    waitMs(max) {
      const surplus = count() - max;
      if (surplus < 0) return 0;
      const freeAt = occupied.map((request) => request.freeAt).sort((a, b) => a - b)[surplus];
      return freeAt === undefined ? Number.POSITIVE_INFINITY : freeAt - now();
    },
    open() {
      let isUnwritten = true;
      let request: { freeAt: number } | null = null;
      unwritten += 1;
      const close = (): void => {
        if (isUnwritten) unwritten -= 1;
        isUnwritten = false;
      };
      return {
        drop: close,
        written() {
          close();
          request = { freeAt: now() + aftermathMs };
          occupied.push(request);
        },
        answered() {
          if (request === null) return false;
          request.freeAt = Math.min(request.freeAt, now() + windowMs + clockMarginMs);
          return true;
        },
      };
    },
  };
}
