import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { createMemoryBudget, OverBudget, type Reservation, withGuarantee } from '../../src/spider/memory-budget.ts';
import { fc } from '../helpers/random.ts';

const signal = new AbortController().signal;

/** A piece of work: its crawl, the sizes that it takes one after the other, and whether it is aborted. */
const work = fc.record({
  crawl: fc.nat(2),
  sizes: fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }),
  isAborted: fc.boolean(),
});

describe('the budget for documents', () => {
  it('is never exceeded, has few guarantees at a time, and lets every visit end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(work, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (works, guaranteesMax) => {
          const bytesMax = 100;
          const crawlBytesMax = 60;
          const budget = createMemoryBudget({ bytesMax, crawlBytesMax, guaranteesMax });
          const crawls = ['0', '1', '2'].map((id) => ({ ...budget.forCrawl(id), taken: 0 }));
          const taken = (): number => crawls.reduce((sum, crawl) => sum + crawl.taken, 0);
          let guaranteed = 0;
          const run = async ({ crawl: index, sizes, isAborted }: (typeof works)[number]): Promise<void> => {
            const aborting = new AbortController();
            const crawl = crawls[index];
            assert.ok(crawl);
            const reservation = crawl.reserve(aborting.signal);
            let attempts = 0;
            await withGuarantee(reservation, async () => {
              attempts += 1;
              let own = 0;
              if (attempts === 2) guaranteed += 1;
              assert.ok(guaranteed <= guaranteesMax);
              for (const size of sizes) {
                if (!reservation.take(size)) {
                  crawl.taken -= own;
                  throw new OverBudget();
                }
                if (attempts === 1) own += size;
                if (attempts === 1) crawl.taken += size;
                assert.ok(crawl.taken <= crawlBytesMax && taken() <= bytesMax);
                await tick();
              }
              crawl.taken -= own;
            });
            if (attempts === 2) guaranteed -= 1;
            if (isAborted) aborting.abort();
            else reservation.release();
            assert.ok(!reservation.take(0), 'an ended visit gets nothing, which it could not give back');
          };
          await Promise.all(works.map(run));
          const [first, second] = crawls.map(({ reserve }) => reserve(signal));
          assert.ok(first?.take(crawlBytesMax) && second?.take(bytesMax - crawlBytesMax), 'all is given back');
          assert.ok(!second?.take(1));
        },
      ),
    );
  });

  it('lets no crawl take more than its share, or all guarantees that others wait for', async () => {
    const budget = createMemoryBudget({ bytesMax: 100, crawlBytesMax: 25, guaranteesMax: 1 });
    const greedy = budget.forCrawl('1');
    const other = budget.forCrawl('2');
    const holder = greedy.reserve(signal);
    const waiting = Array.from({ length: 3 }, () => greedy.reserve(signal));
    assert.ok(holder.take(25) && !waiting[0]?.take(1));
    assert.ok(other.reserve(signal).take(25));
    await holder.guarantee(Promise.resolve());
    const order: string[] = [];
    const served = (name: string, reservation: Reservation): Promise<void> =>
      reservation.guarantee(Promise.resolve()).then(() => {
        order.push(name);
        reservation.release();
      });
    const all = [
      ...waiting.map((reservation) => served('greedy', reservation)),
      served('other', other.reserve(signal)),
    ];
    await tick();
    holder.release();
    await Promise.all(all);
    assert.deepEqual(order, ['greedy', 'other', 'greedy', 'greedy']);
  });

  it('leaves no listener on the signal of brief work', async () => {
    const budget = createMemoryBudget().forCrawl('1');
    const { signal: own } = new AbortController();
    assert.ok(await budget.briefly(own, (outer) => outer.briefly(async (inner) => inner.take(1))));
    assert.equal(getEventListeners(own, 'abort').length, 0);
  });

  it('gives no guarantee to an aborted waiter', async () => {
    const budget = createMemoryBudget({ bytesMax: 10, guaranteesMax: 1 }).forCrawl('1');
    const first = budget.reserve(signal);
    await first.guarantee(Promise.resolve());
    const aborting = new AbortController();
    const waiting = budget.reserve(aborting.signal).guarantee(Promise.resolve());
    const last = budget.reserve(signal);
    const given = last.guarantee(Promise.resolve());
    aborting.abort(new Error('The report was deleted'));
    await assert.rejects(waiting, /deleted/);
    first.release();
    await given;
    assert.ok(last.take(1_000));
  });
});
