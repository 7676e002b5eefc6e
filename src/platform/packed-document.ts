import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Packs a document for the database: its SHA-256, the bytes compressed with zstd, and their number before compression. */
export async function packDocument(body: Uint8Array): Promise<{ hash: Buffer; body: Buffer; size: number }> {
  return { hash: createHash('sha256').update(body).digest(), body: await compress(body), size: body.byteLength };
}

/** Returns the document's bytes as the server sent them. */
export function unpackDocument(compressedBody: Buffer): Promise<Buffer> {
  return decompress(compressedBody);
}
