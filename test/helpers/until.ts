import { setTimeout as delay } from 'node:timers/promises';

/** Long waits are polled less often: a poll is often a request, which costs as much processor time as a small page. */
const pollGrowth = 1.25;
const pollGrowthMax = 5;

/** Starting a service takes more than a minute where the machine has ten times more work than cores. */
const defaultTimeoutMs = 180_000;

interface Patience {
  readonly timeoutMs?: number;
  /** The time between the first checks. */
  readonly pollMs?: number;
}

/** Waits until the condition holds; rejects after an unreasonably long time. */
export async function until(
  condition: () => Promise<boolean> | boolean,
  { timeoutMs = defaultTimeoutMs, pollMs = 20 }: Patience = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let growth = 1; !(await condition()); growth = Math.min(growth * pollGrowth, pollGrowthMax)) {
    if (Date.now() > deadline) throw new Error(`Still not so after ${timeoutMs} ms: ${condition}`);
    await delay(pollMs * growth);
  }
}
