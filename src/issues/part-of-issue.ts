import type { FoundIssue, IssueIdentity } from '../domain/check.ts';
import { CLUSTER_BYTES, FINGERPRINT_BYTES, TRACE_BYTES } from './identity.ts';

/**
 * Returns an issue with some of its occurrences, in the given order.
 * @throws Error if its occurrences are not a list: the whole issue would count once per part
 */
export function partOf<
  Issue extends Pick<FoundIssue, 'howMany' | 'occurrences'> & { readonly identity: IssueIdentity },
>(issue: Issue, positions: readonly number[]): Issue {
  const { occurrences, identity } = issue;
  if (!Array.isArray(occurrences)) throw new Error('The occurrences of an issue must be a list.');
  return {
    ...issue,
    howMany: positions.length,
    occurrences: positions.map((position) => occurrences[position]),
    identity: {
      kind: identity.kind,
      occurrences: bytesAt(identity.occurrences, positions, FINGERPRINT_BYTES),
      clusters: bytesAt(identity.clusters, positions, CLUSTER_BYTES),
      traces: bytesAt(identity.traces, positions, TRACE_BYTES),
    },
  };
}

/** Returns the packed values at the given positions. @param length of a value, in bytes */
export function bytesAt(bytes: Uint8Array, positions: readonly number[], length: number): Uint8Array {
  return Buffer.concat(positions.map((position) => bytes.subarray(position * length, (position + 1) * length)));
}
