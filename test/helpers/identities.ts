import { createHash } from 'node:crypto';
import type { FoundIssue, IssueIdentity } from '../../src/domain/check.ts';
import { CLUSTER_BYTES, FINGERPRINT_BYTES, TRACE_BYTES } from '../../src/issues/identity.ts';
import type { IdentifiedIssue } from '../../src/store/issues/packed-issues.ts';

const digest = (text: string, bytes: number): Buffer => createHash('sha256').update(text).digest().subarray(0, bytes);

/**
 * Returns what identifies occurrences that a test makes up: they are in one cluster, and their elements are not in the source.
 */
export function identityOf(kind: string, issue: string, howMany: number): IssueIdentity {
  return {
    kind: digest(kind, FINGERPRINT_BYTES).toString('hex'),
    occurrences: Buffer.concat(
      Array.from({ length: howMany }, (_, occurrence) => digest(`${issue} ${occurrence}`, FINGERPRINT_BYTES)),
    ),
    clusters: Buffer.concat(Array(howMany).fill(digest(kind, CLUSTER_BYTES))),
    traces: Buffer.alloc(TRACE_BYTES * howMany),
  };
}

/** Adds what identifies an issue. */
export function identified(issue: FoundIssue): IdentifiedIssue {
  return { ...issue, identity: identityOf(issue.message, JSON.stringify(issue), issue.howMany) };
}
