import type { Json } from '../domain/check.ts';

/** Bytes of one item. Ordinary places have some hundred, and all texts of one together rarely more than three times 12,000. */
export const itemMaxBytes = 65_536;

export interface Scanner {
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
export function createScanner(wanted: readonly number[], { isFirst }: { readonly isFirst: boolean }): Scanner {
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
