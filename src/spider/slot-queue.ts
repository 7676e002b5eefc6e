/** The window in which the number of requests is limited. */
const windowMs = 1_000;
/**
 * How long a request without a response may take to reach the server after it was written. An earlier response shows that it
 * has arrived; a later one costs at most this much of every second.
 */
const arrivalMarginMs = 100;
/** How long a request may count after it was written. */
export const aftermathMs = windowMs + arrivalMarginMs;
/** Absorbs the rounding of two clocks after a response. */
const clockMarginMs = 1;

/** The time source of a limiter; another one lets tests run hours in milliseconds. */
export interface LimiterClock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** Calls back after at least this many milliseconds, unless the returned function is called first. */
  after(delayMs: number, callback: () => void): () => void;
}

export const limiterClock: LimiterClock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The right to send one request. Report the progress of the request to it; late or repeated calls do no harm. */
export interface Slot {
  /** The request head was handed to the socket. */
  written(): void;
  /** The response has begun, so the request has reached the server. */
  answered(): void;
  /** The request has ended or failed, or will not be sent. Frees the slot if nothing was written. */
  over(): void;
}

/** When slots are given. Called for each slot, so that the results may change. */
export interface SlotRules {
  /** Slots that may be open at a time, which is the limit for requests in any second (see `createSlotQueue`). */
  openMax(): number;
  /** Milliseconds between two slots. */
  spacingMs(): number;
  /** Milliseconds of delay that later slots may make up for by following sooner. */
  catchUpMs(): number;
  /** Requests that may be under way at a time. */
  inFlightMax(): number;
  /** A request has ended so many milliseconds after it was written. */
  took?(ms: number): void;
}

/** Gives out slots, first come first served. */
export interface SlotQueue {
  /** Waits for a slot. @throws the signal's reason if it aborts first */
  acquire(signal?: AbortSignal): Promise<Slot>;
  /** Gives no slot for this many milliseconds from now. */
  rest(ms: number): void;
}

/**
 * Gives out slots at the pace of the rules.
 *
 * A slot is open from when it is given until a second after its request has certainly arrived: after the response, or
 * `arrivalMarginMs` after the write if the response takes longer. When the last of the requests that arrive within a second arrives,
 * the slots of all of them are open. So limiting the open slots limits the requests in every second, however long writes,
 * connections and responses take.
 */
export function createSlotQueue(rules: SlotRules, clock: LimiterClock = limiterClock): SlotQueue {
  const waiters = new Set<(slot: Slot) => void>();
  const open = createOpenSlots(clock, serve, rules.took);
  let restsUntil = clock.now();
  /** When the latest slot was due. */
  let lastDueAt = clock.now() - rules.spacingMs();
  let cancelTimer: (() => void) | null = null;

  function serve(): void {
    cancelTimer?.();
    cancelTimer = null;
    for (const give of waiters) {
      const waitMs = nextWaitMs();
      // `serve` is called again when a request is written, answered or over.
      if (waitMs === Number.POSITIVE_INFINITY) return;
      if (waitMs > 0) {
        cancelTimer = clock.after(Math.ceil(waitMs), serve);
        return;
      }
      lastDueAt = Math.max(lastDueAt + rules.spacingMs(), clock.now() - rules.catchUpMs());
      waiters.delete(give);
      give(open.add());
    }
  }

  /** Milliseconds until a slot may be given; infinite if that depends on a request. */
  function nextWaitMs(): number {
    if (open.inFlight() >= rules.inFlightMax()) return Number.POSITIVE_INFINITY;
    const now = clock.now();
    const dueAt = Math.max(lastDueAt + rules.spacingMs(), restsUntil);
    return Math.max(0, dueAt - now, open.roomAt(rules.openMax(), now) - now);
  }

  return {
    rest(ms) {
      restsUntil = Math.max(restsUntil, clock.now() + ms);
    },
    acquire(signal) {
      const slot = waitIn(waiters, signal);
      serve();
      return slot;
    },
  };
}

/**
 * The slots that are open.
 * @param onChange is called when a request is written, answered or over
 */
function createOpenSlots(clock: LimiterClock, onChange: () => void, took: SlotRules['took']) {
  /** When they close: infinite until the request is written. */
  let open: { closesAt: number }[] = [];
  let inFlight = 0;
  return {
    inFlight: () => inFlight,
    /** When fewer than `max` are open. */
    roomAt(max: number, now: number): number {
      open = open.filter(({ closesAt }) => closesAt > now).sort((a, b) => a.closesAt - b.closesAt);
      return open[open.length - max]?.closesAt ?? now;
    },
    add(): Slot {
      const slot = { closesAt: Number.POSITIVE_INFINITY };
      let writtenAt: number | null = null;
      let isOver = false;
      open.push(slot);
      inFlight += 1;
      return {
        written() {
          writtenAt = clock.now();
          slot.closesAt = writtenAt + aftermathMs;
          onChange();
        },
        answered() {
          if (writtenAt === null) return;
          slot.closesAt = Math.min(slot.closesAt, clock.now() + windowMs + clockMarginMs);
          onChange();
        },
        over() {
          if (isOver) return;
          isOver = true;
          inFlight -= 1;
          if (writtenAt === null) slot.closesAt = Number.NEGATIVE_INFINITY;
          else took?.(clock.now() - writtenAt);
          onChange();
        },
      };
    },
  };
}

/** Waits among others until it is given something. @throws the signal's reason if it aborts first */
function waitIn<Given>(waiters: Set<(given: Given) => void>, signal: AbortSignal | undefined): Promise<Given> {
  const { promise, resolve, reject } = Promise.withResolvers<Given>();
  if (signal?.aborted) {
    reject(signal.reason);
    return promise;
  }
  const give = (given: Given): void => {
    signal?.removeEventListener('abort', giveUp);
    resolve(given);
  };
  const giveUp = (): void => {
    waiters.delete(give);
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  waiters.add(give);
  return promise;
}
