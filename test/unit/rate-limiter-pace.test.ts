import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fetchesInFlightMax } from '../../src/spider/limits.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { virtualClock } from '../helpers/virtual-clock.ts';

/** A second counts from the arrival of a request, known from its response, at most a tenth of a second late. */
const FULL = 1 / 1.1;

/** How a server responds to a request that arrives at a time: after how many milliseconds, and with what. */
type Server = (at: number) => { readonly tookMs: number; readonly is?: 'busy' | 'failed' };

interface Seen {
  readonly at: number;
  /** Requests in progress, including this one. */
  readonly inFlight: number;
}

/** The requests that a server gets in a crawl of this many seconds, on a virtual clock. */
async function crawl(requestsPerSecond: number, seconds: number, server: Server): Promise<Seen[]> {
  const { clock, run } = virtualClock();
  const limiter = createRateLimiter({ requestsPerSecond, clock });
  const seen: Seen[] = [];
  let inFlight = 0;
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const worker = async () => {
    while (clock.now() < seconds * 1_000) {
      const slot = await limiter.acquire();
      inFlight += 1;
      seen.push({ at: clock.now(), inFlight });
      const { tookMs, is } = server(clock.now());
      slot.written();
      await sleep(tookMs);
      slot.answered();
      inFlight -= 1;
      if (is === 'busy') limiter.slowDown(0);
      else if (is === 'failed') limiter.falter();
      else limiter.recover();
      slot.over();
    }
  };
  const workers = Promise.all(Array.from({ length: fetchesInFlightMax }, worker));
  await run();
  await workers;
  return seen;
}

/** Requests in each second of an interval, on average. */
function rateWithin(seen: readonly Seen[], fromSecond: number, toSecond: number): number {
  const within = seen.filter(({ at }) => at >= fromSecond * 1_000 && at < toSecond * 1_000);
  return within.length / (toSecond - fromSecond);
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('the pace of a crawl', () => {
  it('is the full rate with normal variation of response times', async () => {
    const servers: Readonly<Record<string, (random: () => number) => number>> = {
      'fast and even': (random) => 1 + 4 * random(),
      uneven: (random) => 5 + 195 * random(),
      'mostly fast, some slow': (random) => (random() < 0.1 ? 1_000 : 20),
      'slow and skewed': (random) => 120 * Math.exp(1.5 * (random() + random() + random() - 1.5)),
    };
    for (const [name, tookMs] of Object.entries(servers)) {
      for (const rate of [1, 20]) {
        const random = randomNumbers(rate);
        const seen = await crawl(rate, 60, () => ({ tookMs: tookMs(random) }));
        assert.ok(rateWithin(seen, 0, 60) >= FULL * rate, `${name}: ${rateWithin(seen, 0, 60)} of ${rate}`);
      }
    }
  });

  it('falls with concurrency when a server gets slow, and rises when it recovers', async () => {
    const rate = 20;
    const seen = await crawl(rate, 90, (at) => ({ tookMs: at > 20_000 && at < 50_000 ? 5_000 : 50 }));
    assert.ok(rateWithin(seen, 0, 20) >= FULL * rate);
    const slow = seen.filter(({ at }) => at > 35_000 && at < 50_000);
    assert.ok(slow.length > 0 && slow.every(({ inFlight }) => inFlight === 1), 'one at a time');
    assert.ok(rateWithin(seen, 60, 90) >= FULL * rate, `${rateWithin(seen, 60, 90)} afterwards`);
  });

  it('is halved each time the server is busy, down to a sixteenth, and recovers in steps', async () => {
    const rate = 10;
    const trouble = new Set([{ tookMs: 10, is: 'busy' } as const]).values();
    const once = await crawl(rate, 60, (at) => (at >= 10_000 ? trouble.next().value : undefined) ?? { tookMs: 10 });
    assert.ok(Math.abs(rateWithin(once, 11, 12) - rate / 2) <= 1, `${rateWithin(once, 11, 12)} after it was busy`);
    assert.ok(rateWithin(once, 18, 20) < 0.9 * rate, 'not at once');
    assert.ok(rateWithin(once, 30, 60) >= FULL * rate, 'in the end');
    const always = await crawl(rate, 600, () => ({ tookMs: 10, is: 'busy' }));
    assert.ok(
      Math.abs(rateWithin(always, 100, 600) - rate / 16) < 0.01,
      `${rateWithin(always, 100, 600)} when always busy`,
    );
  });

  it('falls to at least a quarter when responses fail', async () => {
    const seen = await crawl(8, 200, (at) => ({ tookMs: 10, ...(at < 100_000 && { is: 'failed' }) }));
    assert.ok(Math.abs(rateWithin(seen, 10, 100) - 2) < 0.1);
    assert.ok(rateWithin(seen, 140, 200) >= FULL * 8);
  });
});
