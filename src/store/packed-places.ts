import { createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Json } from '../domain/check.ts';
import { codeOf } from '../platform/errors.ts';
import { slicesOf } from '../platform/slices.ts';
import { createScanner, itemMaxBytes } from './array-scanner.ts';
import { framesOf } from './zstd-frames.ts';

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
