/** Notices when a part has had no work for a while. */
export interface RestTimer {
  /** Records the start of a piece of work. Returns a function that records its end; call it once. */
  begin(): () => void;
  /** Ends the current wait. The next piece of work starts another. */
  stop(): void;
}

/**
 * Creates a timer that calls back `restMs` after the last piece of work has ended, and not again until another piece has ended.
 * @param restMs 0 for never
 */
export function createRestTimer(restMs: number, onRest: () => void): RestTimer {
  let inProgress = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin() {
      clearTimeout(timer);
      inProgress += 1;
      return () => {
        inProgress -= 1;
        // An idle part must not keep the process alive.
        if (inProgress === 0 && restMs > 0) timer = setTimeout(onRest, restMs).unref();
      };
    },
    stop: () => clearTimeout(timer),
  };
}
