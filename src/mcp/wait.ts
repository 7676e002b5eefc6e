import { setTimeout as delay } from 'node:timers/promises';
import { isStatus } from '../../packages/client/errors.ts';
import { pollMs, waitDefaultSeconds } from './limits.ts';

/**
 * Reads a state repeatedly until it is the desired one, or the time is up.
 * @param read reads the current state
 * @returns the last state
 */
export async function waitFor<State>(
  read: () => Promise<State>,
  isDone: (state: State) => boolean,
  {
    seconds = waitDefaultSeconds,
    signal,
    tell = async () => undefined,
  }: {
    readonly seconds?: number | undefined;
    readonly signal: AbortSignal;
    /** Called with each state that is not the desired one. */
    readonly tell?: (state: State) => Promise<void>;
  },
): Promise<State> {
  const end = performance.now() + seconds * 1_000;
  let state = await read();
  while (!isDone(state) && performance.now() < end) {
    await tell(state);
    await delay(Math.min(pollMs, end - performance.now()), undefined, { signal });
    state = await read().catch(async (error: unknown) => {
      if (!isStatus(error, 429, 503)) throw error;
      return state;
    });
  }
  return state;
}
