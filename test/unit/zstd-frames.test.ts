import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { framesOf } from '../../src/store/issues/packed-occurrences.ts';
import { randomFrom } from '../helpers/random.ts';

const random = randomFrom();
/** Bytes that cannot be compressed. */
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random() * 256));

/** Blocks of all types and several of them, sizes of all lengths. */
const CONTENTS = [
  Buffer.alloc(0),
  Buffer.from('short'),
  Buffer.from('a text of medium length, '.repeat(20)),
  Buffer.alloc(1_000_000),
  noise(300),
  noise(300_000),
  Buffer.from(Array.from({ length: 100_000 }, (_, number) => `item ${number}`).join()),
];

for (const checksum of [0, 1]) {
  for (const size of [0, 1]) {
    test(`frames are told apart, checksum ${checksum}, size ${size}`, () => {
      const params = { [constants.ZSTD_c_checksumFlag]: checksum, [constants.ZSTD_c_contentSizeFlag]: size };
      const frames = CONTENTS.map((content) => zstdCompressSync(content, { params }));
      const found = framesOf(Buffer.concat(frames));
      assert.deepEqual(
        found.map((frame) => frame.length),
        frames.map((frame) => frame.length),
      );
      assert.deepEqual(
        found.map((frame) => zstdDecompressSync(frame)),
        CONTENTS,
      );
    });
  }
}
