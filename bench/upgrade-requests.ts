import { setTimeout as delay } from 'node:timers/promises';
import type { RunningProxy } from '../test/helpers/proxies.ts';

export interface Requests {
  /** Sends no more requests, and waits for the responses. */
  stop(): Promise<{ readonly sent: number; readonly failures: readonly string[]; readonly latencies: string }>;
}

/** Each tenth request changes something. */
const READS = ['/api/v1/reports', '/api/v1/account', '/api/v1/sites', '/api/v1/installation', '/api/v1/schedules'];
/** Longer than a proxy waits for a process to come back. */
const TIMEOUT_MS = 30_000;

/** Sends requests of a client of the API at a constant rate, whether or not earlier ones have ended. */
export function startRequests({ send }: Pick<RunningProxy, 'send'>, token: string, perSecond: number): Requests {
  const failures: string[] = [];
  const times: number[] = [];
  const open = new Set<Promise<void>>();
  let [sent, isStopped] = [0, false];

  const one = async (number: number): Promise<void> => {
    const isChange = number % 10 === 9;
    const path = isChange ? '/api/v1/account' : (READS[number % READS.length] ?? '');
    const [method, body] = isChange
      ? ['PATCH', JSON.stringify({ data: { attributes: { standard: null } } })]
      : ['GET', ''];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const from = performance.now();
    try {
      const late = delay(TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('no response')));
      const { status, text } = await Promise.race([send(method ?? '', path, headers, body), late]);
      if (status >= 300) failures.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
    } catch (error) {
      failures.push(`${method} ${path}: ${String(error)}`);
    }
    times.push(performance.now() - from);
  };
  const sending = (async () => {
    const from = performance.now();
    while (!isStopped) {
      await delay(Math.max(1, from + (sent * 1_000) / perSecond - performance.now()));
      const request = one(sent);
      open.add(request);
      void request.then(() => open.delete(request));
      sent += 1;
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await sending;
      await Promise.all(open);
      times.sort((first, second) => first - second);
      const at = (share: number): string => `${(times[Math.floor(times.length * share)] ?? 0).toFixed(0)} ms`;
      const latencies = `median ${at(0.5)}, p99 ${at(0.99)}, longest ${(times.at(-1) ?? 0).toFixed(0)} ms`;
      return { sent, failures, latencies };
    },
  };
}
