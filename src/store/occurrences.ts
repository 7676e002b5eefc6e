import { promisify } from 'node:util';
import { zstdCompress, zstdDecompressSync } from 'node:zlib';
import type { Json } from '../domain/check.ts';

const compress = promisify(zstdCompress);

/** Prepares an issue's places for the store: JSON, compressed with zstd. */
export function packOccurrences(occurrences: Json): Promise<Buffer> {
  return compress(Buffer.from(JSON.stringify(occurrences)));
}

/** An issue's places as the engine gave them. At once: parsing takes longer, and a thread for each little piece longest. */
export function unpackOccurrences(packed: Buffer): Json {
  return JSON.parse(zstdDecompressSync(packed).toString('utf8'));
}
