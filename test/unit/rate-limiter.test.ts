import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { fc } from '../helpers/random.ts';
import { mostWithin, virtualClock } from '../helpers/virtual-clock.ts';

describe('createRateLimiter, on a virtual clock', () => {
  it('never lets more than the rate arrive in a second, however long connections and responses take', async () => {
    const request = fc.record({
      connectMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3_000, noNaN: true })),
      travelMs: fc.double({ min: 0, max: 99, noNaN: true }),
      answerMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2_000, noNaN: true })),
      fate: fc.constantFrom('answered', 'answered', 'answered', 'never written', 'never answered'),
    });
    const property = fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 12 }),
      async (requests, requestsPerSecond, inFlight) => {
        const { clock, run } = virtualClock();
        const limiter = createRateLimiter({ requestsPerSecond, clock });
        const arrivals: number[] = [];
        let given = 0;
        const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
        const queue = requests.values();
        const worker = async () => {
          for (const { connectMs, travelMs, answerMs, fate } of queue) {
            const slot = await limiter.acquire();
            given += 1;
            await sleep(connectMs);
            if (fate !== 'never written') {
              slot.written();
              arrivals.push(clock.now() + travelMs);
              await sleep(travelMs + answerMs);
              if (fate === 'answered') slot.answered();
            }
            slot.over();
          }
        };
        const workers = Promise.all(Array.from({ length: inFlight }, worker));
        await run();
        await workers;
        assert.equal(given, requests.length);
        assert.ok(mostWithin(arrivals, 1_000) <= requestsPerSecond);
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  it('spreads requests evenly and keeps up the rate', async () => {
    const { clock, run } = virtualClock();
    const limiter = createRateLimiter({ requestsPerSecond: 10, clock });
    const times: number[] = [];
    const all = (async () => {
      for (let index = 0; index < 101; index += 1) {
        const slot = await limiter.acquire();
        times.push(clock.now());
        slot.written();
        slot.answered();
        slot.over();
      }
    })();
    await run();
    await all;
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    assert.ok(
      Math.min(...gaps) >= 99 && Math.max(...gaps) <= 111,
      `gaps from ${Math.min(...gaps)} to ${Math.max(...gaps)}`,
    );
    assert.ok((times.at(-1) ?? 0) <= 10_200);
  });

  it('gives the first slot after a second when resumed, at once otherwise', async () => {
    for (const [resumed, min, max] of [
      [true, 1_000, 1_200],
      [false, 0, 0],
    ] as const) {
      const { clock, run } = virtualClock();
      const slot = createRateLimiter({ requestsPerSecond: 5, resumed, clock }).acquire();
      await run();
      await slot;
      assert.ok(clock.now() >= min && clock.now() <= max, `${clock.now()} ms`);
    }
  });

  it('serves in the order of requests, and skips aborted ones', async () => {
    const { clock, run } = virtualClock();
    const limiter = createRateLimiter({ requestsPerSecond: 2, clock });
    const order: number[] = [];
    const controller = new AbortController();
    const asked = [0, 1, 2, 3].map(async (index) => {
      const slot = await limiter.acquire(index === 2 ? controller.signal : undefined);
      order.push(index);
      slot.written();
    });
    controller.abort(new Error('gone'));
    await assert.rejects(asked[2] ?? Promise.resolve(), /gone/);
    await run();
    await Promise.allSettled(asked);
    assert.deepEqual(order, [0, 1, 3]);
    await assert.rejects(limiter.acquire(AbortSignal.abort(new Error('before'))), /before/);
  });

  it('returns a slot only if nothing was written', async () => {
    const { clock, run } = virtualClock();
    const limiter = createRateLimiter({ requestsPerSecond: 1, clock });
    (await limiter.acquire()).over();
    const second = limiter.acquire();
    await run();
    const slot = await second;
    assert.equal(clock.now(), 1_000, 'the gap between slots stays');
    slot.written();
    slot.over();
    slot.over();
    const third = limiter.acquire();
    await run();
    await third;
    assert.ok(clock.now() >= 2_000);
  });

  it('rejects rates that are not whole numbers from 1', () => {
    for (const requestsPerSecond of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => createRateLimiter({ requestsPerSecond }), RangeError);
    }
  });
});
