import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedValuesMax } from '../../src/logins/limits.ts';
import { withMasked } from '../../src/logins/masked-values.ts';

test('masked values are the newest, each once', () => {
  assert.deepEqual(withMasked(['a', 'b'], ['c', 'a']), ['b', 'c', 'a']);
  const many = Array.from({ length: maskedValuesMax }, (_, index) => `value ${index}`);
  const more = withMasked(many, ['new', 'value 0']);
  assert.equal(more.length, maskedValuesMax);
  assert.deepEqual([more[0], ...more.slice(-2)], ['value 2', 'new', 'value 0']);
});
