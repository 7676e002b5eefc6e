const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves when somebody wants this process to end: a signal, or the end of the process that started it and that holds
 * the other end of its channel.
 */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve());
    process.once('disconnect', () => resolve());
  });
}

/** An orderly end takes at most this long; then the process ends as it is, and the next start clears up. */
const CLOSE_TIMEOUT_MS = 9_000;

/** Ends the process in time even if a part does not close. Children that are left are ended at the next start. */
export async function closeInTime(close: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    process.stderr.write('Not everything ended in time; the next start clears up what is left.\n');
    process.exit(1);
  }, CLOSE_TIMEOUT_MS);
  await close();
  clearTimeout(timer);
  if (process.connected) process.disconnect?.();
}
