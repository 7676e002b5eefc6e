import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { createDocumentRoom, NoRoom, withGuarantee } from '../../src/spider/document-room.ts';

const signal = new AbortController().signal;

/** A piece of work: the sizes of what it takes one after the other, and whether it is aborted in the end. */
const work = fc.record({ sizes: fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }), isAborted: fc.boolean() });

describe('the room for documents', () => {
  it('is never more than full, has few guarantees at a time, and lets everybody come to an end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(work, { maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        async (works, guaranteesMax) => {
          const bytesMax = 100;
          const room = createDocumentRoom({ bytesMax, guaranteesMax });
          let shared = 0;
          let guaranteed = 0;
          const run = async ({ sizes, isAborted }: (typeof works)[number]): Promise<void> => {
            const aborting = new AbortController();
            const lease = room.lease(aborting.signal);
            let attempts = 0;
            await withGuarantee(lease, async () => {
              attempts += 1;
              let own = 0;
              if (attempts === 2) guaranteed += 1;
              assert.ok(guaranteed <= guaranteesMax);
              for (const size of sizes) {
                if (!lease.take(size)) {
                  shared -= own;
                  throw new NoRoom();
                }
                if (attempts === 1) own += size;
                if (attempts === 1) shared += size;
                assert.ok(shared <= bytesMax);
                await tick();
              }
              shared -= own;
            });
            if (attempts === 2) guaranteed -= 1;
            if (isAborted) aborting.abort();
            else lease.release();
          };
          await Promise.all(works.map(run));
          const rest = room.lease(signal);
          assert.ok(rest.take(bytesMax), 'all is given back');
          assert.ok(!rest.take(1));
        },
      ),
    );
  });

  it('has no guarantee for who was aborted while waiting for one', async () => {
    const room = createDocumentRoom({ bytesMax: 10, guaranteesMax: 1 });
    const first = room.lease(signal);
    await first.guarantee(Promise.resolve());
    const aborting = new AbortController();
    const waiting = room.lease(aborting.signal).guarantee(Promise.resolve());
    const last = room.lease(signal);
    const given = last.guarantee(Promise.resolve());
    aborting.abort(new Error('The report was deleted'));
    await assert.rejects(waiting, /deleted/);
    first.release();
    await given;
    assert.ok(last.take(1_000));
  });
});
