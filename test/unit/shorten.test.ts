import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortened } from '../../src/platform/shorten.ts';
import { fc } from '../helpers/random.ts';

test('a text that is too long keeps its start and its end', () => {
  assert.equal(shortened('0123456789', 10), '0123456789');
  assert.equal(shortened('0123456789a', 10), '012345…89a');
});

test('no text gets longer than the limit, or ends in half a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 4, max: 40 }), (text, max) => {
      const short = shortened(text, max);
      assert.ok(short.length <= max && short.isWellFormed());
      assert.equal(short === text, text.length <= max);
    }),
  );
});
