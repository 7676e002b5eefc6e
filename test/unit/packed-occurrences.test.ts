import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { Json } from '../../src/domain/check.ts';
import {
  framesOf,
  occurrencesAt,
  packOccurrences,
  slicesOfOccurrences,
} from '../../src/store/issues/packed-occurrences.ts';
import { anyCharacter, fc } from '../helpers/random.ts';

const text = fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom(...'"\\[]{},')), maxLength: 40 });
const occurrence: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.record({
    html: text,
    target: fc.array(fc.array(text)),
    occurrence: fc.record({ line: fc.nat(), box: fc.constant(null) }),
  }),
);

/** Decompressed, this is read in several chunks. */
const FILLER = 'x'.repeat(1_000);

test('occurrences are found in any position, in short and in long lists', () => {
  const some = fc.record({
    occurrences: fc.array(occurrence, { minLength: 1, maxLength: 20 }),
    wanted: fc.uniqueArray(fc.oneof(fc.nat(20), fc.nat(600)), { maxLength: 10 }),
    repeats: fc.constantFrom(1, 7, 30),
    filler: fc.constantFrom('', FILLER),
  });
  fc.assert(
    fc.property(some, ({ occurrences, wanted, repeats, filler }) => {
      const all = Array.from({ length: repeats }, () => occurrences.map((of) => ({ filler, of }))).flat();
      const positions = wanted.toSorted((a, b) => a - b);
      // As JSON, which has no objects without a prototype.
      const expected = JSON.parse(JSON.stringify(positions.map((position) => all[position] ?? null)));
      assert.deepEqual(occurrencesAt(packOccurrences(all), positions), expected);
      assert.deepEqual([...slicesOfOccurrences(packOccurrences(all))].flat(), JSON.parse(JSON.stringify(all)));
    }),
  );
});

test('an occurrence that is too large is left out, and the next one is found', () => {
  const occurrences = ['a', { html: 'x'.repeat(70_000) }, 'b'];
  assert.deepEqual(occurrencesAt(packOccurrences(occurrences), [0, 1, 2]), ['a', null, 'b']);
  const many = Array.from({ length: 100 }, () => occurrences).flat();
  assert.deepEqual(occurrencesAt(packOccurrences(many), [126, 127, 128, 129, 297, 298, 299]), [
    ...['a', null, 'b', 'a'],
    ...['a', null, 'b'],
  ]);
});

test('an empty list has no occurrences', () => {
  assert.deepEqual(occurrencesAt(packOccurrences([]), [0, 1]), [null, null]);
});

test('a long list is one array when it is decompressed, however many frames it has', () => {
  for (const length of [0, 1, 127, 128, 129, 256, 257, 1_000]) {
    const occurrences = Array.from({ length }, (_, number) => ({ number }));
    assert.deepEqual(JSON.parse(zstdDecompressSync(packOccurrences(occurrences)).toString()), occurrences);
  }
});

test('of a long list, only the frames of the wanted occurrences are read', () => {
  const packed = packOccurrences(
    Array.from({ length: 50_000 }, (_, number) => ({ number, text: `occurrence ${number}` })),
  );
  // All others cannot be read any more. Their headers remain.
  for (const frame of framesOf(packed).slice(1, -1)) frame.fill(0xff, 16);
  assert.deepEqual(occurrencesAt(packed, [0, 49_999]), [
    { number: 0, text: 'occurrence 0' },
    { number: 49_999, text: 'occurrence 49999' },
  ]);
  assert.throws(() => occurrencesAt(packed, [25_000]));
});
