import { hash } from 'node:crypto';
import { colorPairIn } from '../../packages/client/occurrences.ts';
import type { Json } from '../domain/check.ts';
import { CLUSTER_BYTES } from './identity.ts';

/**
 * How insufficient contrast is clustered in earlier versions, and for elements whose style rules are not known: by pairs of
 * colors. Decisions about a pair apply to all its elements, regardless of their style rules.
 */

/**
 * Returns the clusters of occurrences by their pairs of colors, in hexadecimal; null for occurrences without colors.
 * @param issueType fingerprint of the issue type, in hexadecimal
 */
export function clustersByPair(issueType: string, occurrences: Json): readonly (string | null)[] {
  const known = new Map<string, string>();
  return (Array.isArray(occurrences) ? occurrences : []).map((occurrence) => {
    const pair = colorPairIn(failureSummaryOf(occurrence));
    if (pair === null) return null;
    return known.getOrInsertComputed(pair, () =>
      hash('sha256', JSON.stringify([issueType, pair])).slice(0, 2 * CLUSTER_BYTES),
    );
  });
}

function failureSummaryOf(occurrence: Json): string | null {
  if (typeof occurrence !== 'object' || occurrence === null || !('failure_summary' in occurrence)) return null;
  const { failure_summary: summary } = occurrence as { readonly failure_summary?: Json };
  return typeof summary === 'string' ? summary : null;
}
