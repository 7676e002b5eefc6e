import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type CauseErrors, FIXES_MAX, planFixes } from '../../src/issues/plan-fixes.ts';
import { fc } from '../helpers/random.ts';

/** The number of pages that pass once these causes are fixed, counted anew. */
function passing(pages: readonly (readonly number[])[], fixed: readonly number[], before: number): number {
  return before + pages.filter((causes) => causes.every((cause) => fixed.includes(cause))).length;
}

const CAUSES = 8;
const causes = fc.uniqueArray(fc.integer({ min: 0, max: CAUSES - 1 }), { minLength: 1 });
const sites = fc.record({
  pages: fc.array(causes, { maxLength: 12 }),
  /** Errors by cause, and the pages that have them, on these pages and on others. */
  errors: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: CAUSES, maxLength: CAUSES }),
  reached: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: CAUSES, maxLength: CAUSES }),
  severe: fc.uniqueArray(fc.integer({ min: 0, max: CAUSES - 1 })),
  before: fc.nat(5),
});

/** Each cause with this many errors, on this many pages, which are severe or not. */
function weighed(errors: readonly number[], pages: readonly number[], severe: readonly number[] = []): CauseErrors[] {
  return errors.map((count, cause) => ({ errors: count, pages: pages[cause] ?? 0, isSevere: severe.includes(cause) }));
}

describe('planFixes', () => {
  it('counts as brute force does, and takes the best fix at each step', () => {
    fc.assert(
      fc.property(sites, ({ pages, errors, reached, severe, before }) => {
        const plan = planFixes(pages, weighed(errors, reached, severe), before);
        assert.equal(plan.length, Math.min(FIXES_MAX, CAUSES));
        const all = [...errors.keys()];
        /** The value of the last of these fixes: greater is better, the most important number first. */
        const worth = (fixed: readonly number[]) => {
          const last = fixed.at(-1) ?? CAUSES;
          const onPages = new Array<number>(reached[last] ?? 0).fill(severe.includes(last) ? 2 : 1);
          return [
            passing(pages, fixed, before),
            Number(pages.flat().includes(last)),
            onPages.reduce((sum, page) => sum + page, 0),
            errors[last] ?? 0,
          ];
        };
        const fixed: number[] = [];
        for (const { cause, passingAfter, passingAfterPlan } of plan) {
          assert.equal(passingAfter, passing(pages, [cause], before));
          const others = all.filter((other) => !fixed.includes(other)).map((other) => worth([...fixed, other]));
          fixed.push(cause);
          assert.equal(passingAfterPlan, passing(pages, fixed, before));
          const best = others.reduce((one, other) => (isGreater(other, one) ? other : one));
          assert.deepEqual(worth(fixed), best);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes what is on the most pages, severe errors twice, then the most errors, if no page can pass', () => {
    const order = planFixes([], weighed([9, 5, 31, 1, 8], [4, 1, 31, 15, 4], [1, 3]), 10).map(({ cause }) => cause);
    assert.deepEqual(order, [2, 3, 0, 4, 1]);
  });

  it('takes causes on pages that can pass before those on other pages', () => {
    const order = planFixes([[0, 2]], weighed([1, 9, 2], [1, 9, 1], [1]), 0).map(({ cause }) => cause);
    assert.deepEqual(order, [2, 0, 1]);
  });

  it('takes the cause that brings most pages closest to passing of those that are equal otherwise', () => {
    const pages = [
      [0, 1],
      [0, 1],
      [0, 2, 3],
    ];
    assert.deepEqual(
      planFixes(pages, weighed([3, 3, 3, 3], [3, 3, 3, 3]), 10).map(({ cause, passingAfterPlan }) => [
        cause,
        passingAfterPlan,
      ]),
      [
        [0, 10],
        [1, 12],
        [2, 12],
        [3, 13],
      ],
    );
  });

  it('plans nothing without errors', () => {
    assert.deepEqual(planFixes([], [], 7), []);
  });
});

/** Compares by the first element that differs. */
function isGreater(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index >= 0 && (one[index] ?? 0) > (other[index] ?? 0);
}
