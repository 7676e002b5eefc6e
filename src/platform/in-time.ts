/** Returns the result of work; if it takes longer, the result or error of `late`. The work continues. */
export async function inTime<Result, Late>(
  work: Promise<Result>,
  limitMs: number,
  late: () => Late,
): Promise<Result | Late> {
  // Aborting a timer with a signal would create an error, with its stack trace, for each call.
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  try {
    return await Promise.race([work, isLate.then(late)]);
  } finally {
    clearTimeout(timer);
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
