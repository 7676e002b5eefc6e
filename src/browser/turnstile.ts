/** Lets a number of callers in at a time. Lanes take turns; within a lane, who came first goes first. */
export interface Turnstile {
  /**
   * Waits for a place. The function given back frees it; calling it again does nothing.
   * @throws the signal's reason when it is aborted first
   */
  enter(lane: string, signal: AbortSignal): Promise<() => void>;
}

export function createTurnstile(places: number): Turnstile {
  let free = places;
  /** Who waits in each lane, the lane whose turn it is first. A lane in which nobody waits is not there. */
  const lanes = new Map<string, (() => void)[]>();

  function leaver(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = takeNext();
      if (next === undefined) free += 1;
      else next();
    };
  }

  function takeNext(): (() => void) | undefined {
    for (const [lane, waiting] of lanes) {
      lanes.delete(lane);
      const next = waiting.shift();
      if (waiting.length > 0) lanes.set(lane, waiting);
      return next;
    }
    return undefined;
  }

  function join(lane: string, give: () => void): void {
    const waiting = lanes.get(lane);
    if (waiting === undefined) lanes.set(lane, [give]);
    else waiting.push(give);
  }

  function giveUpWaiting(lane: string, give: () => void): void {
    const rest = (lanes.get(lane) ?? []).filter((waiting) => waiting !== give);
    if (rest.length === 0) lanes.delete(lane);
    else lanes.set(lane, rest);
  }

  return {
    async enter(lane, signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leaver();
      }
      await new Promise<void>((resolve, reject) => {
        const give = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = (): void => {
          giveUpWaiting(lane, give);
          reject(signal.reason);
        };
        join(lane, give);
        signal.addEventListener('abort', giveUp, { once: true });
      });
      return leaver();
    },
  };
}
