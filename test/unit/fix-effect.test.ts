import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixEffects } from '../../src/domain/fix-effect.ts';

/** A plan whose fixes remove so many errors, and after which so many pages pass. */
const plan = (before: number, ...steps: readonly (readonly [removed: number, after: number])[]) =>
  steps.map(([errors, passing_after_plan]) => ({ errors, passing_before: before, passing_after_plan }));

test('a fix says which pages pass, or else how many errors it removes', () => {
  const report = { pages: 10, errors: 340 };
  assert.deepEqual(fixEffects(plan(2, [12, 2], [30, 5], [7, 5], [1, 6]), report), [
    'removes 12 of 340 errors',
    '2 → 5 of 10 pages pass',
    'removes 7 of 340 errors',
    '5 → 6 of 10 pages pass',
  ]);
  assert.deepEqual(fixEffects(plan(0, [1, 1]), { pages: 1, errors: 1 }), ['0 → 1 of 1 page pass']);
  assert.deepEqual(fixEffects(plan(0, [1, 0]), { pages: 1, errors: 1 }), ['removes 1 of 1 error']);
  const large = { pages: 2_000, errors: 5_000 };
  const shown = (number: number): string => number.toLocaleString('en');
  assert.deepEqual(fixEffects(plan(0, [1, 1_000]), large, shown), ['0 → 1,000 of 2,000 pages pass']);
});
