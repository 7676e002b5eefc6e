import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimSlots, type HostShare } from '../../src/domain/host-share.ts';
import { createHostLimiter } from '../../src/egress/host-limit/host-limiter.ts';
import { hostOf } from '../../src/egress/host-limit/host-name.ts';
import { fc } from '../helpers/random.ts';
import { mostWithin, virtualClock } from '../helpers/virtual-clock.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const noReason = (): number => assert.fail('nothing is to be lowered');

/** What each of some processes is due, each claiming in turn, once all have what is theirs. */
function divided(limit: number, wishes: readonly (readonly [reports: number, wanted: number])[], turn = 0): number[] {
  let shares: HostShare[] = [];
  for (let round = 0; round < 3; round += 1) {
    for (const [lesseeId, [reports, wanted]] of wishes.entries()) {
      const { slots } = claimSlots(limit, shares, { lesseeId, reports, wanted, lower: () => 0 }, turn);
      shares = [...shares.filter((share) => share.lesseeId !== lesseeId), { lesseeId, reports, wanted, slots }];
    }
  }
  return shares.map(({ slots }) => slots);
}

describe('the share of a process in a host', () => {
  it('is what it wants, as long as there is enough', () => {
    assert.deepEqual(divided(100, [[1, 100]]), [100]);
    assert.deepEqual(
      divided(100, [
        [1, 30],
        [3, 70],
      ]),
      [30, 70],
    );
  });

  it('is as large as its reports are many, and none gets more than it wants', () => {
    assert.deepEqual(
      divided(100, [
        [1, 100],
        [1, 100],
      ]),
      [50, 50],
    );
    assert.deepEqual(
      divided(90, [
        [2, 200],
        [1, 100],
      ]),
      [60, 30],
    );
    assert.deepEqual(
      divided(100, [
        [1, 1],
        [1, 100],
        [1, 100],
      ]),
      [1, 50, 49],
    );
  });

  it('comes in turn where there is less than one request for each', () => {
    const three: [number, number][] = [
      [1, 5],
      [1, 5],
      [1, 5],
    ];
    assert.deepEqual(
      [0, 1, 2, 3].map((turn) => divided(1, three, turn)),
      [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
      ],
    );
  });

  it('is not given before another has let go of it', () => {
    const full: HostShare = { lesseeId: 1, reports: 1, wanted: 10, slots: 10 };
    const claim = { lesseeId: 2, reports: 1, wanted: 10, lower: noReason };
    assert.deepEqual(claimSlots(10, [full], claim, 0), { due: 5, slots: 0 });
    const both = [full, { ...claim, slots: 0 }];
    assert.deepEqual(claimSlots(10, both, { ...full, lower: () => 8 }, 0), { due: 5, slots: 8 });
    assert.deepEqual(claimSlots(10, [{ ...full, slots: 8 }], claim, 0), { due: 5, slots: 2 });
  });
});

describe('the limit of a host, on a virtual clock', () => {
  it('holds over all processes, whatever they want, and whenever they tell', async () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 700 }),
      process: fc.nat(3),
      wanted: fc.integer({ min: 0, max: 12 }),
    });
    const request = fc.record({
      connectMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 1_500 })),
      travelMs: fc.integer({ min: 0, max: 99 }),
      answerMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
    });
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(request, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      async (steps, requests, limit) => {
        const { clock, run } = virtualClock();
        const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
        const limiters = Array.from({ length: 4 }, () => createHostLimiter(clock));
        const arrivals: number[] = [];
        let shares: HostShare[] = [];

        const tell = (lesseeId: number, wanted: number, turn: number): void => {
          const limiter = limiters[lesseeId] ?? assert.fail();
          const held = shares.find((share) => share.lesseeId === lesseeId)?.slots ?? 0;
          const lower = (due: number): number => {
            limiter.grant(Math.min(due, held), FOREVER);
            return limiter.openCount();
          };
          const claim = { lesseeId, reports: wanted > 0 ? 1 : 0, wanted, lower };
          const { slots, due } = claimSlots(limit, shares, claim, turn);
          shares = [...shares.filter((share) => share.lesseeId !== lesseeId), { ...claim, slots }];
          assert.ok(shares.reduce((sum, share) => sum + share.slots, 0) <= limit);
          limiter.grant(Math.min(slots, due), FOREVER);
        };
        const telling = async (): Promise<void> => {
          for (const [turn, { afterMs, process, wanted }] of steps.entries()) {
            await sleep(afterMs);
            tell(process, wanted, turn);
          }
          // In the end one process has all of it, so that what waits there comes to its end.
          for (let round = 0; round < 30; round += 1) {
            for (const lesseeId of [0, 1, 2, 3]) tell(lesseeId, lesseeId === 0 ? limit : 0, round);
            await sleep(400);
          }
        };
        const asking = async (queue: Iterable<(typeof requests)[number]>, index: number): Promise<void> => {
          for (const { connectMs, travelMs, answerMs } of queue) {
            const slot = await limiters[index]?.acquire();
            await sleep(connectMs);
            slot?.written();
            arrivals.push(clock.now() + travelMs);
            await sleep(travelMs + answerMs);
            slot?.answered();
            slot?.over();
          }
        };
        const queue = requests.values();
        for (const index of [0, 0, 0, 1, 1, 2, 2, 3]) void asking(queue, index);
        void telling();
        await run();
        assert.ok(mostWithin(arrivals, 1_000) <= limit);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });

  it('gives nothing when the lease is over, and goes on when there is another', async () => {
    const { clock, run } = virtualClock();
    const limiter = createHostLimiter(clock);
    limiter.grant(10, 250);
    const times: number[] = [];
    const ask = async (): Promise<void> => {
      for (let index = 0; index < 5; index += 1) {
        const slot = await limiter.acquire();
        times.push(clock.now());
        slot.written();
        slot.over();
      }
    };
    const asked = ask();
    clock.after(5_000, () => limiter.grant(10, FOREVER));
    await run();
    await asked;
    assert.equal(times.filter((time) => time < 250).length, 4);
    assert.equal(times.filter((time) => time >= 5_000).length, 1);
  });
});

describe('the host of a URL', () => {
  it('is its name, whatever the scheme, the port, and www', () => {
    const same = ['http://example.com/a', 'https://WWW.Example.com:8443/', 'https://example.com./'];
    assert.deepEqual(new Set(same.map(hostOf)), new Set(['example.com']));
    const others = ['https://shop.example.com/', 'https://www.com/', 'http://[::1]:80/', 'http://127.0.0.1:3000/'];
    assert.deepEqual(others.map(hostOf), ['shop.example.com', 'www.com', '[::1]', '127.0.0.1']);
  });
});
