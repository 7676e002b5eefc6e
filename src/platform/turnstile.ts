/** Lets a number of callers in at a time. Lanes take turns; within a lane, who came first goes first. */
export interface Turnstile {
  /**
   * Waits for a place. The function given back frees it; calling it again does nothing.
   * @param alone whether nobody else may be in meanwhile: takes all places, and whoever comes later waits
   * @throws the signal's reason when it is aborted first
   */
  enter(lane: string, signal: AbortSignal, alone?: boolean): Promise<() => void>;
}

interface Waiting {
  readonly places: number;
  readonly give: () => void;
}

export function createTurnstile(places: number): Turnstile {
  let free = places;
  /** Who waits in each lane, the lane whose turn it is first. A lane in which nobody waits is not there. */
  const lanes = new Map<string, Waiting[]>();

  function leaver(taken: number): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      free += taken;
      letIn();
    };
  }

  /** Gives free places to those whose turn it is. Who needs more than there are keeps the others waiting. */
  function letIn(): void {
    for (const [lane, waiting] of lanes) {
      const [next, ...rest] = waiting;
      if (next === undefined || next.places > free) return;
      lanes.delete(lane);
      if (rest.length > 0) lanes.set(lane, rest);
      free -= next.places;
      next.give();
    }
  }

  function join(lane: string, who: Waiting): void {
    lanes.set(lane, [...(lanes.get(lane) ?? []), who]);
    letIn();
  }

  function giveUpWaiting(lane: string, who: Waiting): void {
    const rest = (lanes.get(lane) ?? []).filter((waiting) => waiting !== who);
    if (rest.length === 0) lanes.delete(lane);
    else lanes.set(lane, rest);
    letIn();
  }

  return {
    async enter(lane, signal, alone = false) {
      signal.throwIfAborted();
      const wanted = alone ? places : 1;
      await new Promise<void>((resolve, reject) => {
        const give = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        };
        const who: Waiting = { places: wanted, give };
        const giveUp = (): void => {
          giveUpWaiting(lane, who);
          reject(signal.reason);
        };
        signal.addEventListener('abort', giveUp, { once: true });
        join(lane, who);
      });
      return leaver(wanted);
    },
  };
}
