import { setTimeout as delay } from 'node:timers/promises';

/** Waits until the condition holds, checking every `pollMs`; rejects after an unreasonably long time. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  timeoutMs = 60_000,
  pollMs = 20,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Still not so after ${timeoutMs} ms: ${condition}`);
    await delay(pollMs);
  }
}
