import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 10;
/** Generous: reached only when what is awaited never happens. */
const patienceMs = 20_000;

/** Waits until the condition holds; rejects, naming it, when it does not in a generous time. */
export async function waitUntil(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(pollMs);
  }
}
