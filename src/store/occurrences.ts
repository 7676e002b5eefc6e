import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { FoundIssue, Json } from '../domain/check.ts';

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
export function unpackOccurrences(packed: Buffer): Json {
  return JSON.parse(zstdDecompressSync(packed).toString('utf8'));
}
