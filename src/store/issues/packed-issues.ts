import { createHash } from 'node:crypto';
import { createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { Certainty, FoundIssue, IssueIdentity, Json } from '../../domain/check.ts';
import type { Verdict } from '../../domain/decision.ts';
import { codeOf } from '../../platform/errors.ts';
import { packOccurrences } from './packed-occurrences.ts';

/** An issue that is about to be stored. */
export interface IdentifiedIssue extends FoundIssue {
  readonly identity: IssueIdentity;
  /** The selectors of mutings of the report and its account that match all its occurrences; absent for none. */
  readonly selectors?: readonly string[];
}

/** An issue in the form in which it is stored. */
export interface PackedIssue extends Omit<IdentifiedIssue, 'occurrences'> {
  /** Identifies its common issue: a hash of the columns that all its issues share, in hexadecimal. */
  readonly key: string;
  /** JSON, compressed with zstd. */
  readonly occurrences: Uint8Array;
  /** The decision about all its occurrences; absent if there is none. */
  readonly decision?: IssueDecision;
  /** Where it was in the result of the check; absent if it is unchanged, and its index is its position. */
  readonly foundAt?: FoundAt;
}

/** A decision about an issue, with the values that the check found. */
export interface IssueDecision {
  readonly id: number;
  readonly verdict: Verdict;
  /** `PackedIssue.key`, `IssueIdentity.kind` and `FoundIssue.type` before the decision. */
  readonly foundKey: string;
  readonly foundFingerprint: string;
  readonly foundType: Certainty;
}

interface FoundAt {
  /** The position of the issue among the issues that the check found, from 0. */
  readonly position: number;
  /** The positions of its occurrences in that issue; null for all of them. */
  readonly occurrences: readonly number[] | null;
}

/** Packs an issue for the database. */
export function packIssue(issue: IdentifiedIssue): PackedIssue {
  const kind = [issue.type, issue.subType, issue.message, issue.ruleId, issue.helpUrl, issue.impact, issue.tags];
  const key = createHash('sha256').update(JSON.stringify(kind)).digest('hex');
  return { ...issue, key, occurrences: packOccurrences(issue.occurrences) };
}

/** Returns an issue's occurrences as the engine reported them. Synchronous for the same reason as `packOccurrences`. */
export function unpackOccurrences(packed: Uint8Array): Json {
  return JSON.parse(zstdDecompressSync(packed).toString('utf8'));
}

/** Stored occurrences. */
interface PackedOccurrences {
  readonly occurrences: Uint8Array;
  /** At least their number. */
  readonly how_many: number;
}

/**
 * Returns the occurrences of several issues, within a limit: if they are too large together, each issue keeps its first
 * occurrences, up to an equal share of the limit.
 * @param maxBytes limit for all of them together, as JSON
 * @param addedBytes the bytes of each occurrence in addition to its JSON
 */
export async function unpackFirst(
  packed: readonly PackedOccurrences[],
  maxBytes: number,
  addedBytes: number,
): Promise<Json[]> {
  if (maxBytes === Number.POSITIVE_INFINITY) return packed.map(({ occurrences }) => unpackOccurrences(occurrences));
  const starts: { readonly json: Buffer; readonly bytes: number }[] = [];
  for (const { occurrences, how_many: howMany } of packed) {
    const json = await startOf(occurrences, maxBytes + 1);
    starts.push({ json, bytes: json.byteLength + howMany * addedBytes });
  }
  const sum = starts.reduce((total, { bytes }) => total + bytes, 0);
  const share = sum <= maxBytes ? maxBytes : Math.floor(maxBytes / packed.length);
  return starts.map(({ json, bytes }) =>
    JSON.parse(bytes <= share ? json.toString() : wholeObjects(json, share, addedBytes)),
  );
}

/** Decompresses at most `maxBytes` bytes. */
async function startOf(packed: Uint8Array, maxBytes: number): Promise<Buffer> {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if (codeOf(error) !== 'ERR_BUFFER_TOO_LARGE') throw error;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createZstdDecompress({ chunkSize: 131_072 }).end(packed)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

const [QUOTE, BACKSLASH, OPEN, CLOSE] = [0x22, 0x5c, 0x7b, 0x7d];

/** Cuts an array of objects in JSON after the last object that ends within `maxBytes`, if each takes `addedBytes` more. */
function wholeObjects(json: Uint8Array, maxBytes: number, addedBytes: number): string {
  let end = 0;
  let depth = 0;
  let isInText = false;
  let objects = 1;
  for (let at = 1; at + objects * addedBytes < maxBytes; at += 1) {
    const byte = json[at];
    if (isInText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInText = !isInText;
    else if (!isInText && byte === OPEN) depth += 1;
    else if (!isInText && byte === CLOSE) {
      depth -= 1;
      if (depth > 0) continue;
      end = at + 1;
      objects += 1;
    }
  }
  return end === 0 ? '[]' : `${Buffer.from(json.subarray(0, end)).toString()}]`;
}
