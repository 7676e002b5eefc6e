import { setTimeout as delay } from 'node:timers/promises';

/** Returns the result of work; if it takes longer, the result or error of `late`. The work continues. */
export async function inTime<Result, Late>(
  work: Promise<Result>,
  limitMs: number,
  late: () => Late,
): Promise<Result | Late> {
  const limit = new AbortController();
  try {
    return await Promise.race([work, delay(limitMs, undefined, { signal: limit.signal }).then(late)]);
  } finally {
    limit.abort();
  }
}

/** Returns the result of work; the fallback if it fails or takes longer. */
export function inTimeOr<Result, Fallback>(
  work: Promise<Result>,
  limitMs: number,
  fallback: Fallback,
): Promise<Result | Fallback> {
  const instead = (): Fallback => fallback;
  return inTime(work.catch(instead), limitMs, instead);
}
