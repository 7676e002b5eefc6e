import { createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Json } from '../domain/check.ts';
import { codeOf } from '../platform/errors.ts';
import { slicesOf } from '../platform/slices.ts';

/** Places in one frame of zstd: about 50 kB of JSON. */
const FRAME_PLACES = 128;

/**
 * Packs the places of an issue: as a JSON array, compressed with zstd. Long lists have a frame for each 128 places, so that those at
 * the end are found without reading the others; decompressed together, the frames are still one array. Synchronous: passing such
 * small pieces to threads would take longer.
 */
export function packPlaces(places: Json): Buffer {
  if (!Array.isArray(places) || places.length <= FRAME_PLACES) return zstdCompressSync(JSON.stringify(places));
  const frames: Buffer[] = [];
  for (const slice of slicesOf(places, FRAME_PLACES)) {
    const items = JSON.stringify(slice).slice(1, -1);
    const isLast = (frames.length + 1) * FRAME_PLACES >= places.length;
    frames.push(zstdCompressSync(`${frames.length === 0 ? '[' : ','}${items}${isLast ? ']' : ''}`));
  }
  return Buffer.concat(frames);
}

/**
 * Returns some of the places of an issue, in the form in which the engine reported them. An issue may have 100,000 places: only the
 * frames of the wanted ones are read. Results of versions before have one frame, which is read up to the last position.
 * @param packed as `packPlaces` returns it
 * @param positions in ascending order
 * @returns null for places that are not kept or too large
 */
export async function placesAt(packed: Uint8Array, positions: readonly number[]): Promise<(Json | null)[]> {
  const frames = framesOf(packed);
  if (frames.length === 1) return itemsOf(packed, positions, { isFirst: true, isLast: true });
  const found: (Json | null)[] = [];
  for (const [number, frame] of frames.entries()) {
    const first = number * FRAME_PLACES;
    const wanted = positions.filter((position) => position >= first && position < first + FRAME_PLACES);
    if (wanted.length === 0) continue;
    const part = { isFirst: number === 0, isLast: number === frames.length - 1 };
    found.push(
      ...(await itemsOf(
        frame,
        wanted.map((position) => position - first),
        part,
      )),
    );
  }
  return positions.map((_, index) => found[index] ?? null);
}

/** Where a frame stands among those of its array. */
interface Part {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Returns some items of a frame, by their positions in it. */
async function itemsOf(frame: Uint8Array, positions: readonly number[], part: Part): Promise<(Json | null)[]> {
  const whole = parsedIfSmall(frame, part);
  if (whole !== null) return positions.map((position) => whole[position] ?? null);
  const scanner = createScanner(positions, part);
  for await (const chunk of createZstdDecompress({ chunkSize: 131_072 }).end(frame)) if (scanner.read(chunk)) break;
  scanner.end();
  return positions.map((_, index) => scanner.found[index] ?? null);
}

function parsedIfSmall(frame: Uint8Array, { isFirst, isLast }: Part): readonly Json[] | null {
  try {
    const text = zstdDecompressSync(frame, { maxOutputLength: itemMaxBytes }).toString();
    return JSON.parse(`${isFirst ? text : `[${text.slice(1)}`}${isLast ? '' : ']'}`);
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
    return null;
  }
}

/** The sizes of fields in the header of a frame, by the bits that say so (RFC 8878, 3.1.1.1). */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const MAGIC_BYTES = 4;
const CHECKSUM_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
/** The type of a block of one byte that is repeated. */
const REPEATED = 1;

/** Splits what zstd has compressed into its frames, without decompressing it. */
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
  // With a single segment, there is no size of the window, and always one of the content.
  const sizes = isSingleSegment ? Math.max(contentSize, 1) : contentSize + 1;
  let at = start + MAGIC_BYTES + 1 + sizes + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0);
  for (let isLast = false; !isLast; ) {
    const header = byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16);
    isLast = (header & 1) !== 0 || at >= packed.length;
    at += BLOCK_HEADER_BYTES + (((header >> 1) & 3) === REPEATED ? 1 : header >> 3);
  }
  return at + ((descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES);
}

/** Bytes of one item. Ordinary places have some hundred, and all texts of one together rarely more than three times 12,000. */
const itemMaxBytes = 65_536;

interface Scanner {
  /** The wanted items in their order; null for those that are too large. */
  readonly found: readonly (Json | null)[];
  /** Reads the next bytes of the array. Returns whether all wanted items have been found. */
  read(chunk: Buffer): boolean;
  /** Ends an item that nothing separates from another one, because the array goes on elsewhere. */
  end(): void;
}

/**
 * Finds items of a JSON array that is read in chunks. Holds one item at a time.
 * @param wanted their positions, in ascending order
 * @param isFirst false for a later part of an array, which begins with the comma before its first item
 */
function createScanner(wanted: readonly number[], { isFirst }: { readonly isFirst: boolean }): Scanner {
  const found: (Json | null)[] = [];
  const nextSeparator = createSeparatorFinder(isFirst ? 0 : 1);
  // Before the first item.
  let position = -1;
  let pieces: Buffer[] = [];
  let bytes = 0;
  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    if (position === wanted[found.length] && bytes <= itemMaxBytes) pieces.push(piece);
  };
  const endItem = (): void => {
    if (position === wanted[found.length] && bytes > 0) {
      found.push(bytes > itemMaxBytes ? null : JSON.parse(Buffer.concat(pieces).toString()));
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
  return { found, read, end: endItem };
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
 * @param depth how many arrays and objects are open at the beginning
 */
function createSeparatorFinder(depth: number): (chunk: Uint8Array, from: number) => number {
  let open = depth;
  let isInText = false;
  /** Bytes of the next chunk that are escaped. */
  let escaped = 0;
  const separates = (meaning: number | undefined): boolean => {
    if (meaning === OPEN) open += 1;
    else if (meaning === CLOSE) open -= 1;
    return open === (meaning === CLOSE ? 0 : 1);
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
