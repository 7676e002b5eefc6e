import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostOf } from '../../src/domain/host-name.ts';
import { createSharedLimiters, type SharedLimiter } from '../../src/spider/rate-limiter.ts';
import { aftermathMs, type Slot } from '../../src/spider/slot-queue.ts';
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
          const limiters = createSharedLimiters(limit, clock);
          limiters.forHost('example.com', 'account 0').rest(aftermathMs);
          let isKilled = false;
          const ask = async (limiter: SharedLimiter): Promise<void> => {
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
          for (let index = 0; index < 8; index += 1) void ask(limiters.forHost('example.com', `account ${index % 3}`));
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

describe('accounts at a host', () => {
  /** Limiters, and a function that asks for slots; `given` has the accounts that got one, in this order. */
  function limitersOf(limit: number) {
    const { clock, run } = virtualClock();
    const limiters = createSharedLimiters(limit, clock);
    const given: string[] = [];
    const slots: Slot[] = [];
    const ask = (account: string, count: number, use: (slot: Slot) => void): void => {
      const { acquire } = limiters.forHost('example.com', account);
      const take = (slot: Slot): void => {
        given.push(account);
        slots.push(slot);
        use(slot);
      };
      for (let index = 0; index < count; index += 1) void acquire().then(take);
    };
    return { ask, given, slots, run };
  }
  const countOf = (given: readonly string[]): Record<string, number> =>
    Object.fromEntries([...Map.groupBy(given, (account) => account)].map(([account, all]) => [account, all.length]));

  it('take turns, however many requests of one are waiting', async () => {
    const { ask, given, run } = limitersOf(5);
    const send = (slot: Slot): void => {
      slot.written();
      slot.answered();
      slot.over();
    };
    ask('busy', 20, send);
    ask('modest', 3, send);
    ask('other', 1, send);
    await run();
    assert.deepEqual(given.slice(1, 8), ['busy', 'modest', 'other', 'busy', 'modest', 'busy', 'modest']);
    assert.equal(given.length, 24);
  });

  it('have no more requests in progress than they leave free', async () => {
    const { ask, given, slots, run } = limitersOf(100);
    const wait = (slot: Slot): void => slot.written();
    for (const account of ['first', 'second', 'third', 'fourth']) {
      ask(account, 30, wait);
      await run();
    }
    assert.deepEqual(countOf(given), { first: 8, second: 4, third: 2, fourth: 1 });
    // Slots that one account gives back go to accounts that have fewer.
    slots[0]?.over();
    await run();
    assert.deepEqual(given.slice(15), ['fourth']);
  });

  it('have no more requests that still connect than they leave slots', async () => {
    const { ask, given, slots, run } = limitersOf(5);
    const connect = (): void => undefined;
    for (const account of ['first', 'second', 'third', 'fourth']) {
      ask(account, 30, connect);
      await run();
    }
    assert.deepEqual(countOf(given), { first: 3, second: 1, third: 1 });
    slots[0]?.over();
    await run();
    assert.deepEqual(given.slice(5), ['fourth']);
  });

  it('can each send a request at a limit of one per second', async () => {
    const { ask, given, slots, run } = limitersOf(1);
    for (const account of ['first', 'second']) ask(account, 3, () => undefined);
    for (let index = 0; index < 5; index += 1) {
      await run();
      slots[index]?.over();
    }
    assert.deepEqual(given.slice(1), ['first', 'second', 'first', 'second']);
  });
});

describe('the host of a URL', () => {
  it('is its name, regardless of the scheme, the port and www', () => {
    const same = ['http://example.com/a', 'https://WWW.Example.com:8443/', 'https://example.com./'];
    assert.deepEqual(new Set(same.map(hostOf)), new Set(['example.com']));
    const others = ['https://shop.example.com/', 'https://www.com/', 'http://[::1]:80/', 'http://127.0.0.1:3000/'];
    assert.deepEqual(others.map(hostOf), ['shop.example.com', 'www.com', '[::1]', '127.0.0.1']);
  });
});
