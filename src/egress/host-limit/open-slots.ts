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

/** What becomes of a request that a slot was given for. */
export interface OpenSlot {
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
export interface OpenSlots {
  open(): OpenSlot;
  /** How many are open. */
  count(): number;
  /** Milliseconds until fewer than `max` are open: 0 for now, infinite when only a write or a drop can tell. */
  waitMs(max: number): number;
}

export function createOpenSlots(now: () => number): OpenSlots {
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
