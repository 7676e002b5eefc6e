import { createHash } from 'node:crypto';
import { createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { FoundIssue, Json } from '../domain/check.ts';
import { codeOf } from '../platform/errors.ts';

/** An issue that is ready to be stored. */
export interface PackedIssue extends Omit<FoundIssue, 'occurrences'> {
  /** What makes two issues the same kind: a hash of all that a common issue shows of them, in hexadecimal. */
  readonly key: string;
  /** JSON, compressed with zstd. */
  readonly occurrences: Uint8Array;
}

/** Prepares an issue for the store. At once: a thread for each little piece would take longest. */
export function packIssue(issue: FoundIssue): PackedIssue {
  const identity = [issue.type, issue.subType, issue.message, issue.ruleId, issue.helpUrl, issue.impact, issue.tags];
  const key = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return { ...issue, key, occurrences: zstdCompressSync(Buffer.from(JSON.stringify(issue.occurrences))) };
}

/** An issue's places as the engine gave them. At once: parsing takes longer, and a thread for each little piece longest. */
export function unpackOccurrences(packed: Uint8Array): Json {
  return JSON.parse(zstdDecompressSync(packed).toString('utf8'));
}

/**
 * The places of several issues, as many of them as a list may hold: where all are too many, each issue has the first of
 * its own, up to the same number of bytes.
 * @param maxBytes of all of them, as JSON
 */
export async function unpackFirst(packed: readonly Uint8Array[], maxBytes: number): Promise<Json[]> {
  if (maxBytes === Number.POSITIVE_INFINITY) return packed.map(unpackOccurrences);
  const starts: Buffer[] = [];
  for (const places of packed) starts.push(await startOf(places, maxBytes + 1));
  const bytes = starts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const share = bytes <= maxBytes ? maxBytes : Math.floor(maxBytes / packed.length);
  return starts.map((start) => JSON.parse(start.byteLength <= share ? start.toString() : wholePlaces(start, share)));
}

/** At most so many bytes of what was packed. */
async function startOf(packed: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createZstdDecompress().end(packed)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** A list of objects in JSON, cut behind the last one that ends within so many bytes. */
function wholePlaces(json: Uint8Array, maxBytes: number): string {
  let end = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 1; at < maxBytes; at += 1) {
    const byte = json[at];
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (!isInText && byte === OPEN) depth += 1;
    else if (!isInText && byte === CLOSE) {
      depth -= 1;
      if (depth === 0) end = at + 1;
    }
  }
  return end === 0 ? '[]' : `${Buffer.from(json.subarray(0, end)).toString()}]`;
}
