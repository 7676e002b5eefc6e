/** The pause before the next attempt. It doubles each time, up to the maximum. */
const DELAY_MS = { first: 50, max: 1_000 } as const;

/** Looks again for work that another transaction has locked: no announcement follows when that transaction ends. */
export interface LockedRetry {
  /** To be called when locked work was found. */
  onLocked(): void;
  /** Starts with the shortest pause again. */
  reset(): void;
  stop(): void;
}

export function createLockedRetry(look: () => void): LockedRetry {
  let delayMs: number = DELAY_MS.first;
  let timer: NodeJS.Timeout | null = null;

  return {
    onLocked() {
      timer ??= setTimeout(() => {
        timer = null;
        look();
      }, delayMs);
      delayMs = Math.min(2 * delayMs, DELAY_MS.max);
    },
    reset() {
      delayMs = DELAY_MS.first;
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
