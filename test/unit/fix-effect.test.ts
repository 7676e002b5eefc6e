import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixEffect } from '../../src/domain/fix-effect.ts';

test('a fix says which pages pass, or else how many errors it removes', () => {
  const report = { pages: 10, errors: 340 };
  assert.equal(fixEffect({ before: 0, after: 0, removed: 12 }, report), 'removes 12 of 340 errors');
  assert.equal(fixEffect({ before: 3, after: 3, removed: 1 }, { pages: 10, errors: 1 }), 'removes 1 of 1 error');
  assert.equal(fixEffect({ before: 3, after: 5, removed: 12 }, report), '3 → 5 of 10 pages pass');
  assert.equal(
    fixEffect({ before: 0, after: 1_000, removed: 1 }, { ...report, pages: 2_000 }, (number) =>
      number.toLocaleString('en'),
    ),
    '0 → 1,000 of 2,000 pages pass',
  );
});
