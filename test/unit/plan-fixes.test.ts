import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FIXES_MAX, planFixes } from '../../src/answers/plan-fixes.ts';
import { fc } from '../helpers/random.ts';

/** The number of pages that pass once these causes are fixed, counted anew. */
function passing(pages: readonly (readonly number[])[], fixed: readonly number[], before: number): number {
  return before + pages.filter((causes) => causes.every((cause) => fixed.includes(cause))).length;
}

const CAUSES = 8;
const sites = fc.record({
  pages: fc.array(fc.uniqueArray(fc.integer({ min: 0, max: CAUSES - 1 }), { minLength: 1 }), { maxLength: 12 }),
  before: fc.nat(5),
});

describe('planFixes', () => {
  it('counts as brute force does, and takes the best fix at each step', () => {
    fc.assert(
      fc.property(sites, ({ pages, before }) => {
        const plan = planFixes(pages, CAUSES, before);
        const found = new Set(pages.flat());
        assert.equal(plan.length, Math.min(FIXES_MAX, found.size));
        const fixed: number[] = [];
        for (const { cause, passingAfter, passingAfterPlan } of plan) {
          assert.equal(passingAfter, passing(pages, [cause], before));
          const best = Math.max(
            ...[...found]
              .filter((other) => !fixed.includes(other))
              .map((other) => passing(pages, [...fixed, other], before)),
          );
          fixed.push(cause);
          assert.equal(passingAfterPlan, passing(pages, fixed, before));
          assert.equal(passingAfterPlan, best);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes the cause that brings most pages closest to passing if no single one makes a page pass', () => {
    const pages = [
      [0, 1],
      [0, 1],
      [0, 2, 3],
    ];
    assert.deepEqual(
      planFixes(pages, 4, 10).map(({ cause, passingAfterPlan }) => [cause, passingAfterPlan]),
      [
        [0, 10],
        [1, 12],
        [2, 12],
        [3, 13],
      ],
    );
  });

  it('plans nothing without errors', () => {
    assert.deepEqual(planFixes([], 0, 7), []);
  });
});
