import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixEffectWords } from '../../src/domain/fix-effect.ts';

/** The effect of a fix that removes this many errors, with the number of passing pages before and after it. */
const effect = (
  errors: number,
  [before, after]: readonly [number, number],
  report: { pages: number; errors: number },
) => fixEffectWords({ errors, passing_before_plan: before, passing_after_plan: after }, report);

test('a fix says which pages pass, or else how many errors it removes', () => {
  const report = { pages: 10, errors: 340 };
  assert.equal(effect(12, [2, 2], report), 'removes 12 of 340 errors');
  assert.equal(effect(30, [2, 5], report), '2 → 5 of 10 pages pass');
  assert.equal(effect(1, [0, 1], { pages: 1, errors: 1 }), '0 → 1 of 1 page passes');
  assert.equal(effect(1, [0, 0], { pages: 1, errors: 1 }), 'removes 1 of 1 error');
});

test('numbers have separators', () => {
  const large = { pages: 2_000, errors: 5_000 };
  assert.equal(effect(1, [0, 1_000], large), '0 → 1,000 of 2,000 pages pass');
  assert.equal(effect(1_200, [0, 0], large), 'removes 1,200 of 5,000 errors');
});
