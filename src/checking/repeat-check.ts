import { CheckFault } from '../domain/check-fault.ts';
import { isCrowded, occurrenceKeysIn } from '../issues/diff-pages.ts';
import { FINGERPRINT_BYTES } from '../issues/identity.ts';
import type { CheckOutcome } from '../store/pages/check-outcome.ts';
import type { ResultBefore } from '../store/pages/result-before.ts';

/**
 * Runs a check once more if its result differs from the previous result of the same document by the same engine, so that results
 * that vary from run to run do not count as new or fixed (decision 0135). If the two runs differ and neither has the previous
 * result, or if the second run fails, the result is kept without its resources, because nothing shows that the site changed. The
 * same applies if the resources vary, as they do with advertisements.
 * @param run runs the check
 * @param before finds the previous result; null for none
 */
export async function repeatedIfChanged(
  run: () => Promise<CheckOutcome>,
  before: () => Promise<ResultBefore | null>,
): Promise<CheckOutcome> {
  const first = await run();
  const occurrences = occurrencesOf(first);
  // The result of an engine without versions depends on more than the document.
  if (occurrences === null || !first.engineVersion) return first;
  const earlier = await before();
  if (earlier === null || earlier.engineVersion !== first.engineVersion) return first;
  const occurrencesBefore = keysOf(earlier.occurrences);
  if (isSame(occurrences, occurrencesBefore)) return first;
  const second = await run().catch((error: unknown) => {
    if (!(error instanceof CheckFault)) throw error;
    return null;
  });
  if (second === null) return { ...first, resources: null, isUnconfirmed: true };
  const occurrencesAgain = occurrencesOf(second);
  const isConfirmed = occurrencesAgain !== null && isSame(occurrencesAgain, occurrences);
  const isSettled = isConfirmed || (occurrencesAgain !== null && isSame(occurrencesAgain, occurrencesBefore));
  const hasSameResources = second.resources === first.resources;
  if (isConfirmed) return hasSameResources ? second : { ...second, resources: null };
  const varying = { ...second, varies: true };
  return isSettled && hasSameResources ? varying : { ...varying, resources: null };
}

/**
 * Whether a result has the same occurrences as an earlier one; null if there are too many to compare.
 * @param packed of each issue of the earlier result, as `IssueIdentity.occurrences`
 */
export function hasSameOccurrences(outcome: CheckOutcome, packed: readonly Uint8Array[]): boolean | null {
  const occurrences = occurrencesOf(outcome);
  const bytes = packed.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (occurrences === null || isCrowded({ howMany: bytes / FINGERPRINT_BYTES }, undefined)) return null;
  return isSame(occurrences, keysOf(packed));
}

/** Returns what identifies the occurrences of a result; null if there are too many. */
function occurrencesOf({ issues }: CheckOutcome): ReadonlySet<string> | null {
  const howMany = issues.reduce((sum, issue) => sum + issue.howMany, 0);
  if (isCrowded({ howMany }, undefined)) return null;
  return keysOf(issues.map(({ identity }) => identity.occurrences));
}

function keysOf(packed: readonly Uint8Array[]): ReadonlySet<string> {
  return new Set(packed.flatMap(occurrenceKeysIn));
}

function isSame(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return some.size === others.size && some.isSubsetOf(others);
}
