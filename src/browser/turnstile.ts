/** Lets a number of callers in at a time, the others in the order in which they came. */
export interface Turnstile {
  /**
   * Waits for a place. The function given back frees it; calling it again does nothing.
   * @throws the signal's reason when it is aborted first
   */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createTurnstile(places: number): Turnstile {
  let free = places;
  const waiting: (() => void)[] = [];

  function leaver(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
  }

  return {
    async enter(signal) {
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
          waiting.splice(waiting.indexOf(give), 1);
          reject(signal.reason);
        };
        waiting.push(give);
        signal.addEventListener('abort', giveUp, { once: true });
      });
      return leaver();
    },
  };
}
