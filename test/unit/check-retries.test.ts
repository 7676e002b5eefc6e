import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { afterFault, type CheckRetries, FIRST_ATTEMPT } from '../../src/checking/check-retries.ts';
import { type Blame, CheckFault } from '../../src/domain/check-fault.ts';
import { saying } from '../helpers/failures.ts';
import { fc } from '../helpers/random.ts';

const fault = (blame: Blame): CheckFault => new CheckFault(saying('It went wrong'), { permanent: false, blame });

/** How many of the consecutive faults a check survives, and whether it runs alone then. */
function after(...faults: readonly unknown[]): { attempts: number; alone: boolean } {
  let retries: CheckRetries | null = FIRST_ATTEMPT;
  let attempts = 1;
  let alone = false;
  for (const error of faults) {
    retries = afterFault(error, retries);
    if (retries === null) return { attempts, alone };
    ({ alone } = retries);
    attempts += 1;
  }
  return { attempts, alone };
}

describe('a check', () => {
  it('is retried once after passing faults of its own, and never after others', () => {
    const permanent = new CheckFault(saying('It is no page'), { permanent: true });
    assert.deepEqual(after(permanent), { attempts: 1, alone: false });
    assert.deepEqual(after(fault('page'), fault('page'), fault('page')), { attempts: 2, alone: false });
  });

  it('is retried alone when the engine broke down with it, regardless of what happened before', () => {
    assert.deepEqual(after(fault('anybody'), fault('anybody')), { attempts: 2, alone: true });
    assert.deepEqual(after(fault('page'), fault('anybody')), { attempts: 3, alone: true });
    assert.deepEqual(after(new Error('Nobody thought of this'), fault('anybody')), { attempts: 2, alone: true });
  });

  it('is not blamed for an unavailable engine', () => {
    assert.deepEqual(after(...Array.from({ length: 50 }, () => fault('engine'))), { attempts: 51, alone: false });
  });
});

it('the page that breaks the engine fails, and no other, in any combination', () => {
  const pages = fc.uniqueArray(fc.nat({ max: 30 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(pages, fc.func(fc.boolean()), fc.integer({ min: 1, max: 8 }), (all, breaks, places) => {
      const waiting = all.map((page) => ({ page, retries: FIRST_ATTEMPT }));
      const failed: number[] = [];
      for (let next = waiting.splice(0, 1); next.length > 0; next = waiting.splice(0, 1)) {
        // Exclusive checks run alone; the others run with as many as there are places.
        const isAlone = next.some(({ retries }) => retries.alone);
        while (!isAlone && next.length < places && waiting[0]?.retries.alone === false)
          next.push(...waiting.splice(0, 1));
        if (!next.some(({ page }) => breaks(page))) continue;
        for (const { page, retries } of next) {
          const again = afterFault(fault('anybody'), retries);
          if (again === null) failed.push(page);
          else waiting.push({ page, retries: again });
        }
      }
      assert.deepEqual(failed.toSorted(), all.filter((page) => breaks(page)).toSorted());
    }),
  );
});
