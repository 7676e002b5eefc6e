/** Admits a limited number of callers at a time. Lanes take turns; within a lane, callers are served in order of arrival. */
export interface Semaphore {
  /**
   * Waits for a place. The returned function frees it; calling it again does nothing.
   * @param alone whether no one else may be admitted meanwhile: takes all places, and later callers wait
   * @throws the signal's reason when it is aborted first
   */
  acquire(lane: string, signal: AbortSignal, alone?: boolean): Promise<() => void>;
  /** The same for a caller that has been admitted before: it precedes all lanes. */
  acquireAgain(signal: AbortSignal): Promise<() => void>;
}

interface Waiting {
  readonly alone: boolean;
  readonly give: () => void;
}

/** The lane that precedes the others. */
const AGAIN = Symbol('again');
type Lane = string | typeof AGAIN;

/** @param open how many of the places may be taken right now; asked whenever a caller arrives or leaves */
export function createSemaphore(places: number, open: () => number = () => places): Semaphore {
  let taken = 0;
  /** The waiting callers of each lane, the lane whose turn it is first. Empty lanes are removed. */
  const lanes = new Map<Lane, Waiting[]>();

  function leaver(alone: boolean): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      taken -= placesFor(alone);
      letIn();
    };
  }

  function placesFor(alone: boolean): number {
    return alone ? places : 1;
  }

  /** Gives free places to those whose turn it is. A caller that is to be alone keeps the others waiting. */
  function letIn(): void {
    for (;;) {
      const [lane, waiting] = lanes.has(AGAIN) ? ([AGAIN, lanes.get(AGAIN)] as const) : ([...lanes][0] ?? []);
      const [next, ...rest] = waiting ?? [];
      if (lane === undefined || next === undefined || taken >= (next.alone ? 1 : open())) return;
      lanes.delete(lane);
      if (rest.length > 0) lanes.set(lane, rest);
      taken += placesFor(next.alone);
      next.give();
    }
  }

  function giveUpWaiting(lane: Lane, who: Waiting): void {
    const rest = (lanes.get(lane) ?? []).filter((waiting) => waiting !== who);
    if (rest.length === 0) lanes.delete(lane);
    else lanes.set(lane, rest);
    letIn();
  }

  async function join(lane: Lane, signal: AbortSignal, alone: boolean): Promise<() => void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const give = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const who: Waiting = { alone, give };
      const giveUp = (): void => {
        giveUpWaiting(lane, who);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      lanes.set(lane, [...(lanes.get(lane) ?? []), who]);
      letIn();
    });
    return leaver(alone);
  }

  return {
    acquire: (lane, signal, alone = false) => join(lane, signal, alone),
    acquireAgain: (signal) => join(AGAIN, signal, false),
  };
}
