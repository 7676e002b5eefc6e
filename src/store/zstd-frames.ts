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
