import { ApiError, isStatus, OfflineError } from './errors.ts';

/**
 * Runs again after errors that pass.
 * @param waitMs how long to wait after the error of an attempt, in milliseconds; null to fail with it. The first attempt is 1
 */
export async function patiently<Result>(
  run: () => Promise<Result>,
  waitMs: (error: unknown, attempt: number) => number | null,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      const ms = waitMs(error, attempt);
      if (ms === null) throw error;
      await pause(ms, signal);
    }
  }
}

/** How long a service may ask to wait before it is not waited for. */
const WAIT_MAX_MS = 300_000;
/**
 * The first wait for a service that does not say how long. Each further one is twice as long. Limits of requests are per minute.
 */
const FIRST_WAIT_MS = 500;
const FIRST_WAIT_OF_LIMITS_MS = 2_000;

/** Returns after how many milliseconds to read again; null if the error stays, or has stayed for too many attempts. */
export function passesInMs(
  error: unknown,
  { attempt, attempts }: { readonly attempt: number; readonly attempts: number },
): number | null {
  const isUnclear = error instanceof OfflineError || isStatus(error, 500);
  if (!isUnclear && !isStatus(error, 429, 502, 503, 504)) return null;
  if (attempt >= (isUnclear ? attempts / 2 : attempts)) return null;
  const first = isStatus(error, 429) ? FIRST_WAIT_OF_LIMITS_MS : FIRST_WAIT_MS;
  const ms = askedWaitMs(error) ?? first * 2 ** (attempt - 1);
  return ms > WAIT_MAX_MS ? null : ms;
}

/** Returns how long the service asks to wait, in milliseconds; null if it does not. */
export function askedWaitMs(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.retryAfterSeconds === null) return null;
  return error.retryAfterSeconds * 1_000;
}

/** @throws the reason of the signal if it is aborted while waiting */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
