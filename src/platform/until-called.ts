/**
 * Registers a callback, and waits until it is called. The function that `enter` returns removes it.
 * @throws the signal's reason if it is aborted first
 */
export async function untilCalled<Given>(
  signal: AbortSignal | undefined,
  enter: (callback: (given: Given) => void) => () => void,
): Promise<Given> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Given>();
  const giveUp = (): void => {
    leave();
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  const leave = enter((given) => {
    signal?.removeEventListener('abort', giveUp);
    resolve(given);
  });
  return promise;
}
