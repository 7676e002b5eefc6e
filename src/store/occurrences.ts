import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { Json } from '../domain/check.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Prepares an issue's places for the store: JSON, compressed with zstd. */
export function packOccurrences(occurrences: Json): Promise<Buffer> {
  return compress(Buffer.from(JSON.stringify(occurrences)));
}

/** An issue's places as the engine gave them. */
export async function unpackOccurrences(packed: Buffer): Promise<Json> {
  return JSON.parse((await decompress(packed)).toString('utf8'));
}
