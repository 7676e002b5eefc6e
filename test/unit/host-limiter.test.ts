import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostOf } from '../../src/domain/host-name.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { aftermathMs } from '../../src/spider/slot-queue.ts';
import { fc } from '../helpers/random.ts';
import { mostWithin, virtualClock } from '../helpers/virtual-clock.ts';

describe('the limit of a host, on a virtual clock', () => {
  it('holds while one process after another is killed and the next one claims the host', async () => {
    const request = fc.record({
      connectMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_500 })),
      travelMs: fc.integer({ min: 0, max: 99 }),
      answerMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
    });
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 1, maxLength: 6 }),
      fc.array(request, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      async (livesMs, requests, limit) => {
        const { clock, run } = virtualClock();
        const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
        const arrivals: number[] = [];
        const queue = requests.values();

        const live = (isLast: boolean): { kill(): void } => {
          const limiter = createSharedLimiters(limit, clock).forHost('example.com');
          limiter.rest(aftermathMs);
          let isKilled = false;
          const ask = async (): Promise<void> => {
            for (const { connectMs, travelMs, answerMs } of queue) {
              const slot = await limiter.acquire();
              await sleep(connectMs);
              if (isKilled) return;
              slot.written();
              arrivals.push(clock.now() + travelMs);
              await sleep(travelMs + answerMs);
              slot.answered();
              slot.over();
            }
          };
          for (let index = 0; index < 8; index += 1) void ask();
          return { kill: () => (isKilled = !isLast) };
        };
        const killing = (async () => {
          for (const [index, lifeMs] of livesMs.entries()) {
            const process = live(index === livesMs.length - 1);
            await sleep(lifeMs);
            process.kill();
          }
        })();
        await run();
        await killing;
        assert.ok(mostWithin(arrivals, 1_000) <= limit);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});

describe('the host of a URL', () => {
  it('is its name, whatever the scheme, the port and www', () => {
    const same = ['http://example.com/a', 'https://WWW.Example.com:8443/', 'https://example.com./'];
    assert.deepEqual(new Set(same.map(hostOf)), new Set(['example.com']));
    const others = ['https://shop.example.com/', 'https://www.com/', 'http://[::1]:80/', 'http://127.0.0.1:3000/'];
    assert.deepEqual(others.map(hostOf), ['shop.example.com', 'www.com', '[::1]', '127.0.0.1']);
  });
});
