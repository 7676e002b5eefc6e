import { setImmediate as tick } from 'node:timers/promises';
import type { LimiterClock } from '../../src/spider/slot-queue.ts';

/** A clock that jumps from one timer to the next; `run` ends when there is none left. */
export function virtualClock() {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const clock: LimiterClock = {
    now: () => now,
    after(delayMs, callback) {
      const timer = { at: now + delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  async function run(): Promise<void> {
    for (;;) {
      await tick();
      const next = timers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) return;
      timers = timers.filter((timer) => timer !== next);
      now = Math.max(now, next.at);
      next.callback();
    }
  }
  return { clock, run };
}

/** The largest number of times within less than `ms`. */
export function mostWithin(times: readonly number[], ms: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((start) => sorted.filter((time) => time >= start && time < start + ms).length));
}
