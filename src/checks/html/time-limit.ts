/** A time limit joined with a caller's signal, whose timer does not outlive the work. */
export interface TimeLimit {
  /** Aborted by the caller or when the time is over. */
  readonly signal: AbortSignal;
  /** Whether the time is over, as opposed to the caller having given up. */
  isOver(): boolean;
  /** Waits for the promise, at most until the signal. @throws the promise's error, or the signal's reason */
  race<T>(promise: Promise<T>): Promise<T>;
  /** To be called when the work is done. */
  end(): void;
}

/** A time limit from now on. */
export function createTimeLimit(timeoutMs: number, caller: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const { signal } = controller;
  let over = false;
  const timer = setTimeout(() => {
    over = !signal.aborted;
    controller.abort(new Error(`no answer within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  const giveUp = (): void => controller.abort(caller.reason);
  if (caller.aborted) giveUp();
  else caller.addEventListener('abort', giveUp, { once: true });
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
      caller.removeEventListener('abort', giveUp);
    },
  };
}
