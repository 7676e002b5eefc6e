/** Offset of the first chunk's name in a WebP file, after `RIFF`, a length and `WEBP`. */
const CHUNK_OFFSET = 12;

/**
 * Reads the size of a WebP picture from its header, in pixels.
 * @throws Error if it is not WebP
 */
export function webpSize(image: Buffer): { readonly width: number; readonly height: number } {
  const chunk = image.toString('latin1', CHUNK_OFFSET, CHUNK_OFFSET + 4);
  // The formats are defined in RFC 9649, section 2.
  if (chunk === 'VP8 ') return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
  if (chunk === 'VP8L') {
    const bits = image.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk === 'VP8X') return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
  throw new Error('The browser returned a picture that is not WebP.');
}
