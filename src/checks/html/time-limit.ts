/** A time limit combined with a caller's signal. */
export interface TimeLimit {
  /** Aborted by the caller's signal, or when the time is over. */
  readonly signal: AbortSignal;
  /** Whether the time is over. False when the caller's signal was aborted first. */
  isOver(): boolean;
  /** Waits for the promise, at most until the signal is aborted. @throws the promise's error, or the signal's reason */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Clears the timer. Call it when the work is done. */
  end(): void;
}

/** Starts a time limit. */
export function createTimeLimit(timeoutMs: number, caller: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  let over = false;
  const timer = setTimeout(() => {
    over = !signal.aborted;
    controller.abort(new Error(`no answer within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const onAbort = (): void => controller.abort(caller.reason);
  if (caller.aborted) onAbort();
  else caller.addEventListener('abort', onAbort, { once: true });
  return {
    signal,
    isOver: () => over,
    race(promise) {
      return new Promise((resolve, reject) => {
        const rejectWithReason = (): void => reject(signal.reason);
        if (signal.aborted) rejectWithReason();
        else signal.addEventListener('abort', rejectWithReason, { once: true });
        promise.then(resolve, reject);
      });
    },
    end() {
      clearTimeout(timer);
      caller.removeEventListener('abort', onAbort);
    },
  };
}
