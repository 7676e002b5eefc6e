import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import type { Json } from '../../src/domain/check.ts';
import { framesOf, packPlaces, placesAt, slicesOfPlaces } from '../../src/store/issues/packed-places.ts';
import { anyCharacter, fc } from '../helpers/random.ts';

const text = fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom(...'"\\[]{},')), maxLength: 40 });
const place: fc.Arbitrary<Json> = fc.oneof(
  text,
  fc.record({
    html: text,
    target: fc.array(fc.array(text)),
    place: fc.record({ line: fc.nat(), box: fc.constant(null) }),
  }),
);

/** Decompressed, this is read in several chunks. */
const FILLER = 'x'.repeat(1_000);

test('places are found wherever they are, in short and in long lists', () => {
  const some = fc.record({
    places: fc.array(place, { minLength: 1, maxLength: 20 }),
    wanted: fc.uniqueArray(fc.oneof(fc.nat(20), fc.nat(600)), { maxLength: 10 }),
    repeats: fc.constantFrom(1, 7, 30),
    filler: fc.constantFrom('', FILLER),
  });
  fc.assert(
    fc.property(some, ({ places, wanted, repeats, filler }) => {
      const all = Array.from({ length: repeats }, () => places.map((of) => ({ filler, of }))).flat();
      const positions = wanted.toSorted((a, b) => a - b);
      // As JSON, which has no objects without a prototype.
      const expected = JSON.parse(JSON.stringify(positions.map((position) => all[position] ?? null)));
      assert.deepEqual(placesAt(packPlaces(all), positions), expected);
      assert.deepEqual([...slicesOfPlaces(packPlaces(all))].flat(), JSON.parse(JSON.stringify(all)));
    }),
  );
});

test('a place that is too large is left out, and the next one is found', () => {
  const places = ['a', { html: 'x'.repeat(70_000) }, 'b'];
  assert.deepEqual(placesAt(packPlaces(places), [0, 1, 2]), ['a', null, 'b']);
  const many = Array.from({ length: 100 }, () => places).flat();
  assert.deepEqual(placesAt(packPlaces(many), [126, 127, 128, 129, 297, 298, 299]), [
    ...['a', null, 'b', 'a'],
    ...['a', null, 'b'],
  ]);
});

test('an empty list has no places', () => {
  assert.deepEqual(placesAt(packPlaces([]), [0, 1]), [null, null]);
});

test('a long list is one array when it is decompressed, however many frames it has', () => {
  for (const length of [0, 1, 127, 128, 129, 256, 257, 1_000]) {
    const places = Array.from({ length }, (_, number) => ({ number }));
    assert.deepEqual(JSON.parse(zstdDecompressSync(packPlaces(places)).toString()), places);
  }
});

test('of a long list, only the frames of the wanted places are read', () => {
  const packed = packPlaces(Array.from({ length: 50_000 }, (_, number) => ({ number, text: `place ${number}` })));
  // All others cannot be read any more. Their headers remain.
  for (const frame of framesOf(packed).slice(1, -1)) frame.fill(0xff, 16);
  assert.deepEqual(placesAt(packed, [0, 49_999]), [
    { number: 0, text: 'place 0' },
    { number: 49_999, text: 'place 49999' },
  ]);
  assert.throws(() => placesAt(packed, [25_000]));
});
