import { createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { Json } from '../domain/check.ts';
import { codeOf } from '../platform/errors.ts';

/** Bytes of occurrences that are parsed at once: about 50 places. */
const wholeMaxBytes = 16_384;
/** Bytes of one place. Ordinary ones have some hundred, and all texts of a place together rarely more than three times 12,000. */
const placeMaxBytes = 65_536;

/**
 * Returns some of the places of an issue, in the form in which the engine reported them. An issue may have 100,000 places: they are
 * read as a stream, up to the last position.
 * @param packed a JSON array, compressed with zstd
 * @param positions in ascending order
 * @returns null for places that are not kept or too large
 */
export async function placesAt(packed: Uint8Array, positions: readonly number[]): Promise<(Json | null)[]> {
  const whole = parsedIfSmall(packed);
  if (whole !== null) return positions.map((position) => whole[position] ?? null);
  const scanner = createScanner(positions);
  for await (const chunk of createZstdDecompress({ chunkSize: 131_072 }).end(packed)) if (scanner.read(chunk)) break;
  return positions.map((_, index) => scanner.found[index] ?? null);
}

function parsedIfSmall(packed: Uint8Array): readonly Json[] | null {
  try {
    return JSON.parse(zstdDecompressSync(packed, { maxOutputLength: wholeMaxBytes }).toString());
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
    return null;
  }
}

interface Scanner {
  readonly found: readonly (Json | null)[];
  /** Reads the next bytes of the array. Returns whether all wanted items have been found. */
  read(chunk: Buffer): boolean;
}

/** Finds items of a JSON array that is read in chunks. Holds one item at a time. */
function createScanner(wanted: readonly number[]): Scanner {
  const found: (Json | null)[] = [];
  const nextSeparator = createSeparatorFinder();
  // Before the first item.
  let position = -1;
  let pieces: Buffer[] = [];
  let bytes = 0;
  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    if (position === wanted[found.length] && bytes <= placeMaxBytes) pieces.push(piece);
  };
  const endItem = (): void => {
    if (position === wanted[found.length] && bytes > 0) {
      found.push(bytes > placeMaxBytes ? null : JSON.parse(Buffer.concat(pieces).toString()));
    }
    position += 1;
    pieces = [];
    bytes = 0;
  };
  const read = (chunk: Buffer): boolean => {
    let start = 0;
    for (let at = nextSeparator(chunk, 0); at !== -1; at = nextSeparator(chunk, start)) {
      keep(chunk.subarray(start, at));
      endItem();
      if (found.length === wanted.length) return true;
      start = at + 1;
    }
    keep(chunk.subarray(start));
    return false;
  };
  return { found, read };
}

/** What bytes mean in JSON, by their values. */
const MEANINGS = new Uint8Array(256);
const [QUOTE, BACKSLASH, OPEN, CLOSE, COMMA] = [1, 2, 3, 4, 5];
for (const [meaning, characters] of [
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
  [OPEN, '[{'],
  [CLOSE, ']}'],
  [COMMA, ','],
] as const) {
  for (const byte of Buffer.from(characters)) MEANINGS[byte] = meaning;
}

/**
 * Returns a function that finds the bytes that begin and end items of the outermost array. It must be called from one to the next,
 * until it returns -1, for each chunk.
 */
function createSeparatorFinder(): (chunk: Uint8Array, from: number) => number {
  let depth = 0;
  let isInText = false;
  /** Bytes of the next chunk that are escaped. */
  let escaped = 0;
  const separates = (meaning: number | undefined): boolean => {
    if (meaning === OPEN) depth += 1;
    else if (meaning === CLOSE) depth -= 1;
    return depth === (meaning === CLOSE ? 0 : 1);
  };
  return (chunk, from) => {
    let at = from === 0 ? escaped : from;
    while (at < chunk.length) {
      const meaning = MEANINGS[chunk[at] ?? 0];
      at += 1;
      if (meaning === 0) continue;
      // Outside of texts, there are none.
      if (meaning === BACKSLASH) at += 1;
      else if (meaning === QUOTE) isInText = !isInText;
      else if (!isInText && separates(meaning)) return at - 1;
    }
    escaped = at - chunk.length;
    return -1;
  };
}
