import { untilCalled } from '../platform/until-called.ts';

/** The window in which the number of requests is limited. */
const windowMs = 1_000;
/**
 * How long a request without a response may take to reach the server after it was written. An earlier response shows that it
 * has arrived; a later one costs at most this much of every second.
 */
const arrivalMarginMs = 100;
/** How long a request may count toward the limit after it was written. */
export const aftermathMs = windowMs + arrivalMarginMs;
/** Absorbs the rounding of two clocks after a response. */
const clockMarginMs = 1;

/** The time source of a limiter; another time source lets tests run hours in milliseconds. */
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

/** Determines when slots are given. The functions are called for each slot, so their results may change. */
export interface SlotRules {
  /** Slots that may be open at a time, which is the limit for requests in any second (see `createSlotQueue`). */
  openMax(): number;
  /** Milliseconds between two slots. */
  spacingMs(): number;
  /** Milliseconds of delay that later slots may make up for by following sooner. */
  catchUpMs(): number;
  /** Requests that may be in progress at a time. */
  inFlightMax(): number;
  /**
   * Whether several accounts share the slots. In this case, an account gets a slot only while it has fewer requests in progress
   * than are free. The same applies to its unwritten requests and the slots: a silent server holds them for up to a minute, and
   * they are not interrupted.
   */
  readonly isShared?: boolean;
  /** Called when a request has ended, with the milliseconds since it was written. */
  took?(ms: number): void;
}

/** Gives out slots. Owners take turns; requests of one owner are served in the order in which they came. */
export interface SlotQueue {
  /**
   * Waits for a slot.
   * @param owner the account that the request is for
   * @throws the signal's reason if it aborts first
   */
  acquire(signal: AbortSignal | undefined, owner: string): Promise<Slot>;
  /** Gives no slot for this many milliseconds from now. */
  rest(ms: number): void;
}

/**
 * Gives out slots at the pace of the rules.
 *
 * A slot is open from when it is given until a second after its request has certainly arrived: after the response, or
 * `arrivalMarginMs` after the write if the response takes longer. When the last of the requests that arrive within a second
 * arrives, the slots of all of them are open. So limiting the open slots limits the requests in every second, regardless of the
 * duration of writes, connections and responses.
 */
export function createSlotQueue(rules: SlotRules, clock: LimiterClock = limiterClock): SlotQueue {
  const waiting = createWaitingOwners<Slot>();
  const open = createOpenSlots(clock, serve, rules.took);
  let restsUntil = clock.now();
  /** When the latest slot was due. */
  let lastDueAt = clock.now() - rules.spacingMs();
  let cancelTimer: (() => void) | null = null;

  function serve(): void {
    cancelTimer?.();
    cancelTimer = null;
    for (;;) {
      const owner = waiting.next(mayHaveAnother);
      const waitMs = owner === undefined ? Number.POSITIVE_INFINITY : nextWaitMs();
      // `serve` is called again when a request is written, gets a response or is over.
      if (owner === undefined || waitMs === Number.POSITIVE_INFINITY) return;
      if (waitMs > 0) {
        cancelTimer = clock.after(Math.ceil(waitMs), serve);
        return;
      }
      lastDueAt = Math.max(lastDueAt + rules.spacingMs(), clock.now() - rules.catchUpMs());
      waiting.give(owner, open.add(owner));
    }
  }

  function mayHaveAnother(owner: string): boolean {
    if (rules.isShared !== true) return true;
    const inFlight = [...open.inFlight];
    const unwritten = inFlight.filter(({ isWritten }) => !isWritten);
    return leavesEnough(owner, inFlight, rules.inFlightMax()) && leavesEnough(owner, unwritten, rules.openMax());
  }

  /** Milliseconds until a slot may be given; infinite if that depends on a request. */
  function nextWaitMs(): number {
    if (open.inFlight.size >= rules.inFlightMax()) return Number.POSITIVE_INFINITY;
    const now = clock.now();
    const dueAt = Math.max(lastDueAt + rules.spacingMs(), restsUntil);
    return Math.max(0, dueAt - now, open.roomAt(rules.openMax(), now) - now);
  }

  return {
    rest(ms) {
      restsUntil = Math.max(restsUntil, clock.now() + ms);
    },
    acquire(signal, owner) {
      const slot = waiting.join(owner, signal);
      serve();
      return slot;
    },
  };
}

/** Whether an owner has fewer requests than are free, so that one more leaves at least as many free as the owner had before. */
function leavesEnough(owner: string, requests: readonly RequestInFlight[], max: number): boolean {
  return requests.filter((request) => request.owner === owner).length < max - requests.length;
}

interface RequestInFlight {
  readonly owner: string;
  isWritten: boolean;
}

/**
 * The slots that are open.
 * @param onChange is called when a request is written, gets a response or is over
 */
function createOpenSlots(clock: LimiterClock, onChange: () => void, took: SlotRules['took']) {
  /** When each open slot closes: infinite until its request is written. */
  let open: { closesAt: number }[] = [];
  const inFlight = new Set<RequestInFlight>();
  return {
    inFlight,
    /** When fewer than `max` slots are open. */
    roomAt(max: number, now: number): number {
      open = open.filter(({ closesAt }) => closesAt > now).sort((a, b) => a.closesAt - b.closesAt);
      return open[open.length - max]?.closesAt ?? now;
    },
    add(owner: string): Slot {
      const slot = { closesAt: Number.POSITIVE_INFINITY };
      const request = { owner, isWritten: false };
      let writtenAt: number | null = null;
      open.push(slot);
      inFlight.add(request);
      return {
        written() {
          writtenAt = clock.now();
          request.isWritten = true;
          slot.closesAt = writtenAt + aftermathMs;
          onChange();
        },
        answered() {
          if (writtenAt === null) return;
          slot.closesAt = Math.min(slot.closesAt, clock.now() + windowMs + clockMarginMs);
          onChange();
        },
        over() {
          if (!inFlight.delete(request)) return;
          if (writtenAt === null) slot.closesAt = Number.NEGATIVE_INFINITY;
          else took?.(clock.now() - writtenAt);
          onChange();
        },
      };
    },
  };
}

/** Owners that wait to be given something, in the order of their turns. Owners that wait for nothing are not kept. */
function createWaitingOwners<Given>() {
  const lanes = new Map<string, Set<(given: Given) => void>>();
  return {
    /** Returns the first owner that fulfills a condition. */
    next: (condition: (owner: string) => boolean): string | undefined => lanes.keys().find(condition),
    /** Gives something to the first waiter of an owner, whose next turn comes after every other owner's. */
    give(owner: string, given: Given): void {
      const waiters = lanes.get(owner) ?? new Set();
      lanes.delete(owner);
      const [give] = waiters;
      if (give === undefined) return;
      waiters.delete(give);
      if (waiters.size > 0) lanes.set(owner, waiters);
      give(given);
    },
    /** Waits until it is given something. @throws the signal's reason if it aborts first */
    join: (owner: string, signal: AbortSignal | undefined): Promise<Given> =>
      untilCalled(signal, (give) => {
        lanes.getOrInsertComputed(owner, () => new Set()).add(give);
        return () => {
          const waiters = lanes.get(owner);
          waiters?.delete(give);
          if (waiters?.size === 0) lanes.delete(owner);
        };
      }),
  };
}
