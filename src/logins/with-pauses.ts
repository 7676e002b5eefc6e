import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does work, and repeats it after each pause until its result is final.
 * @returns the last result
 * @throws the signal's reason during a pause
 */
export async function withPauses<Result>(
  work: () => Promise<Result>,
  isFinal: (result: Result) => boolean,
  pausesMs: readonly number[],
  signal: AbortSignal,
): Promise<Result> {
  let result = await work();
  for (const pauseMs of pausesMs) {
    if (isFinal(result)) break;
    await delay(pauseMs, undefined, { signal });
    result = await work();
  }
  return result;
}
