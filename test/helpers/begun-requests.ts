import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TestContext } from 'node:test';

/**
 * Returns the times at which this process begins requests during a test, by `performance.now()`. A site records requests later,
 * by as much as the process stalls.
 */
export function noteRequests(t: Pick<TestContext, 'after'>): readonly number[] {
  const begun: number[] = [];
  const note = (): void => void begun.push(performance.now());
  subscribe('undici:request:create', note);
  t.after(() => void unsubscribe('undici:request:create', note));
  return begun;
}
