import { createSlotQueue, type LimiterClock, limiterClock, type Slot } from './slot-queue.ts';

/** A host's requests come from limiters that have spread them already; so much unevenness between these is let pass. */
const catchUpMs = 100;

/** Limits the requests of this process to one host, whatever they are for. */
export interface HostLimiter {
  /** @throws the signal's reason when it aborts before the slot is there */
  acquire(signal?: AbortSignal): Promise<Slot>;
  /** Lets so many slots be open at a time, until a time of the clock; before the first call, none. */
  grant(slots: number, until: number): void;
  /** How many slots are open. */
  openCount(): number;
}

export function createHostLimiter(clock: LimiterClock = limiterClock): HostLimiter {
  let granted = { slots: 0, until: Number.NEGATIVE_INFINITY };
  const spacingMs = (): number => 1_000 / Math.max(1, granted.slots);
  const queue = createSlotQueue(
    {
      openMax: () => (clock.now() < granted.until ? granted.slots : 0),
      spacingMs,
      catchUpMs: () => Math.max(catchUpMs, spacingMs() / 2),
      inFlightMax: () => Number.POSITIVE_INFINITY,
    },
    clock,
  );
  return {
    acquire: queue.acquire,
    openCount: queue.openCount,
    grant(slots, until) {
      granted = { slots, until };
      queue.update();
    },
  };
}
