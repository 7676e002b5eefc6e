import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Json } from '../../domain/check.ts';
import { slicesOf } from '../../platform/slices.ts';

/** Occurrences in one frame of zstd: about 50 kB of JSON. */
const FRAME_OCCURRENCES = 128;

/**
 * Packs the occurrences of an issue: as a JSON array, compressed with zstd. Long lists have a frame for every 128 occurrences, so
 * that the last occurrences are found without reading the others; decompressed together, the frames are still one array.
 * Synchronous: passing such small inputs to threads would take longer.
 */
export function packOccurrences(occurrences: Json): Buffer {
  if (!Array.isArray(occurrences) || occurrences.length <= FRAME_OCCURRENCES)
    return zstdCompressSync(JSON.stringify(occurrences));
  const frames: Buffer[] = [];
  for (const slice of slicesOf(occurrences, FRAME_OCCURRENCES)) {
    const items = JSON.stringify(slice).slice(1, -1);
    const isLast = (frames.length + 1) * FRAME_OCCURRENCES >= occurrences.length;
    frames.push(zstdCompressSync(`${frames.length === 0 ? '[' : ','}${items}${isLast ? ']' : ''}`));
  }
  return Buffer.concat(frames);
}

/**
 * Limit of one occurrence as JSON. Most have a few hundred characters, and all texts of one occurrence together rarely have more
 * than three times 12,000.
 */
const OCCURRENCE_CHARACTERS_MAX = 65_536;

/**
 * Returns some of the occurrences of an issue, in the form in which the engine reported them. An issue may have 100,000
 * occurrences: only the frames of the wanted occurrences are read, one at a time.
 * @param packed as `packOccurrences` returns it
 * @param positions in ascending order
 * @returns null for occurrences that are not stored or too large
 */
export function occurrencesAt(packed: Uint8Array, positions: readonly number[]): (Json | null)[] {
  const frames = framesOf(packed);
  let current = -1;
  let occurrences: readonly Json[] = [];
  return positions.map((position) => {
    const number = Math.floor(position / FRAME_OCCURRENCES);
    if (number !== current) occurrences = occurrencesIn(frames, number);
    current = number;
    const occurrence = occurrences[position % FRAME_OCCURRENCES] ?? null;
    return JSON.stringify(occurrence).length > OCCURRENCE_CHARACTERS_MAX ? null : occurrence;
  });
}

/** Yields all occurrences of an issue in slices, one frame in memory at a time. */
export function* slicesOfOccurrences(packed: Uint8Array): Generator<readonly Json[]> {
  const frames = framesOf(packed);
  for (const number of frames.keys()) yield occurrencesIn(frames, number);
}

function occurrencesIn(frames: readonly Uint8Array[], number: number): readonly Json[] {
  const frame = frames[number];
  if (frame === undefined) return [];
  const text = zstdDecompressSync(frame).toString();
  return JSON.parse(`${number === 0 ? text : `[${text.slice(1)}`}${number === frames.length - 1 ? '' : ']'}`);
}

/** The sizes of fields in the header of a frame, by the value of their flags (RFC 8878, 3.1.1.1). */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const MAGIC_BYTES = 4;
const CHECKSUM_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
/** The type of a block that consists of one repeated byte. */
const REPEATED = 1;

/** Splits zstd output into its frames, without decompressing it. */
export function framesOf(packed: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let start = 0; start < packed.length; ) {
    const end = endOfFrame(packed, start);
    frames.push(packed.subarray(start, end));
    start = end;
  }
  return frames;
}

function endOfFrame(packed: Uint8Array, start: number): number {
  const byteAt = (at: number): number => packed[at] ?? 0;
  const descriptor = byteAt(start + MAGIC_BYTES);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const contentSize = CONTENT_SIZE_BYTES[descriptor >> 6] ?? 0;
  // With a single segment, the header has no window size, but always a content size.
  const sizes = isSingleSegment ? Math.max(contentSize, 1) : contentSize + 1;
  let at = start + MAGIC_BYTES + 1 + sizes + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0);
  for (let isLast = false; !isLast; ) {
    const header = byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16);
    isLast = (header & 1) !== 0 || at >= packed.length;
    at += BLOCK_HEADER_BYTES + (((header >> 1) & 3) === REPEATED ? 1 : header >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
}
