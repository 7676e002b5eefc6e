import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import type { Json } from '../../src/domain/check.ts';
import { placesAt } from '../../src/store/packed-places.ts';
import { anyCharacter, fc } from '../helpers/random.ts';

const pack = (places: readonly Json[]) => zstdCompressSync(Buffer.from(JSON.stringify(places)));

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

test('places are found wherever they are, in short and in long lists', async () => {
  const some = fc.record({
    places: fc.array(place, { minLength: 1, maxLength: 20 }),
    wanted: fc.uniqueArray(fc.nat(150), { maxLength: 10 }),
    repeats: fc.constantFrom(1, 7),
    filler: fc.constantFrom('', FILLER),
  });
  await fc.assert(
    fc.asyncProperty(some, async ({ places, wanted, repeats, filler }) => {
      const all = Array.from({ length: repeats }, () => places.map((of) => ({ filler, of }))).flat();
      const positions = wanted.toSorted((a, b) => a - b);
      // As JSON, which has no objects without a prototype.
      const expected = JSON.parse(JSON.stringify(positions.map((position) => all[position] ?? null)));
      assert.deepEqual(await placesAt(pack(all), positions), expected);
    }),
  );
});

test('a place that is too large is left out, and the next one is found', async () => {
  const places = ['a', { html: 'x'.repeat(70_000) }, 'b'];
  assert.deepEqual(await placesAt(pack(places), [0, 1, 2]), ['a', null, 'b']);
});

test('an empty list has no places', async () => {
  assert.deepEqual(await placesAt(pack([]), [0, 1]), [null, null]);
});
