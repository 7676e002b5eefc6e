import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severeFreeWords } from '../../packages/client/severe-free.ts';

test('the pages without critical or serious errors are a sentence with the right verb', () => {
  for (const [pages, checked, words] of [
    [0, 1, '0 of 1 page is'],
    [1, 1, '1 of 1 page is'],
    [0, 4, '0 of 4 pages are'],
    [1, 4, '1 of 4 pages is'],
    [3, 4, '3 of 4 pages are'],
    [1_234, 12_345, '1,234 of 12,345 pages are'],
  ] as const) {
    assert.equal(severeFreeWords({ pages, checked }), `${words} free of critical or serious errors`);
  }
});
