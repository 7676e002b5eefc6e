import { untilCalled } from './until-called.ts';

/** Admits a limited number of callers at a time. Lanes take turns; within a lane, callers are served in order of arrival. */
export interface Semaphore {
  /**
   * Waits for a permit. The returned function releases it; calling it again does nothing.
   * @param alone takes all permits, so that no other caller is admitted at the same time; later callers wait
   * @throws the signal's reason if it is aborted first
   */
  acquire(lane: string, signal: AbortSignal, alone?: boolean): Promise<() => void>;
  /** The same for a caller that has been admitted before: it precedes all lanes. */
  acquireAgain(signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly alone: boolean;
  readonly admit: () => void;
}

/** The lane that precedes all others. */
const AGAIN = Symbol('again');
type Lane = string | typeof AGAIN;

/** @param available the number of permits that may be in use now; read whenever a caller arrives or leaves */
export function createSemaphore(permits: number, available: () => number = () => permits): Semaphore {
  let inUse = 0;
  /** The waiters of each lane; the next lane comes first. Empty lanes are removed. */
  const lanes = new Map<Lane, Waiter[]>();

  const permitsFor = (alone: boolean): number => (alone ? permits : 1);

  function releaser(alone: boolean): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      inUse -= permitsFor(alone);
      admitWaiters();
    };
  }

  /** Admits the next waiters while there are permits. A waiter that must be alone blocks all later waiters. */
  function admitWaiters(): void {
    for (;;) {
      const [lane, waiters] = lanes.has(AGAIN) ? ([AGAIN, lanes.get(AGAIN)] as const) : ([...lanes][0] ?? []);
      const [next, ...rest] = waiters ?? [];
      if (lane === undefined || next === undefined || inUse >= (next.alone ? 1 : available())) return;
      lanes.delete(lane);
      if (rest.length > 0) lanes.set(lane, rest);
      inUse += permitsFor(next.alone);
      next.admit();
    }
  }

  function removeWaiter(lane: Lane, waiter: Waiter): void {
    const rest = (lanes.get(lane) ?? []).filter((other) => other !== waiter);
    if (rest.length === 0) lanes.delete(lane);
    else lanes.set(lane, rest);
    admitWaiters();
  }

  async function join(lane: Lane, signal: AbortSignal, alone: boolean): Promise<() => void> {
    await untilCalled<void>(signal, (admit) => {
      const waiter: Waiter = { alone, admit };
      lanes.set(lane, [...(lanes.get(lane) ?? []), waiter]);
      admitWaiters();
      return () => removeWaiter(lane, waiter);
    });
    return releaser(alone);
  }

  return {
    acquire: (lane, signal, alone = false) => join(lane, signal, alone),
    acquireAgain: (signal) => join(AGAIN, signal, false),
  };
}
