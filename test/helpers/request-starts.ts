import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TestContext } from 'node:test';

/**
 * Returns the times at which this process begins requests to an origin during a test, by `performance.now()`. A site records
 * requests later, by as much as the process stalls.
 */
export function recordRequestStarts(t: Pick<TestContext, 'after'>, origin: string): readonly number[] {
  const begun: number[] = [];
  const note = (message: unknown): void => {
    const { request } = message as { readonly request: { readonly origin: unknown } };
    if (String(request.origin) === origin) begun.push(performance.now());
  };
  subscribe('undici:request:create', note);
  t.after(() => void unsubscribe('undici:request:create', note));
  return begun;
}
