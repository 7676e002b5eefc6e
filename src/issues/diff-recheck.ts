import type { RecheckCause, RecheckMark } from '../domain/change.ts';
import type { CheckKind } from '../domain/check.ts';
import { ChangeTally, type CheckedPage } from './diff-pages.ts';

/** The results of occurrences in a re-check. */
export interface RecheckCounts {
  readonly fixed: number;
  readonly still: number;
  readonly new: number;
}

/** The result of a re-check of one check of a page. */
export interface RecheckResult extends RecheckCounts {
  /** Why occurrences were fixed or are new. */
  readonly cause: RecheckCause;
}

export interface RecheckDiff {
  readonly result: RecheckResult;
  /** The counts of each issue type, by its fingerprint. */
  readonly byKind: ReadonlyMap<string, RecheckCounts>;
}

export const NO_OCCURRENCES: RecheckCounts = { fixed: 0, still: 0, new: 0 };

/** Compares the results of one check of a page before and after its re-check, in the same way as two reports. */
export function diffRecheck(kind: CheckKind, now: CheckedPage, before: CheckedPage): RecheckDiff {
  const tally = new ChangeTally(true);
  tally.add(kind, { now, before, notBefore: null }, NO_EARLIER_OCCURRENCES);
  let result: RecheckResult = { ...NO_OCCURRENCES, cause: 'site' };
  const byKind = new Map<string, RecheckCounts>();
  for (const { fingerprint, change, cause, occurrences } of tally.counts()) {
    const name = NAMES[change as keyof typeof NAMES];
    const ofKind = byKind.get(fingerprint) ?? NO_OCCURRENCES;
    byKind.set(fingerprint, { ...ofKind, [name]: ofKind[name] + occurrences });
    result = {
      ...result,
      [name]: result[name] + occurrences,
      ...(cause !== 'site' && { cause: cause as RecheckCause }),
    };
  }
  return { result, byKind };
}

/** Without earlier reports, no occurrence regresses; and a check that ran leaves none unverified. */
const NO_EARLIER_OCCURRENCES: ReadonlySet<string> = new Set();
const NAMES = { new: 'new', persisting: 'still', fixed: 'fixed' } as const;

/** Returns a bit for each occurrence, the lowest bit of a byte first: whether it is new since the earlier result. */
export function newOccurrences(occurrences: readonly string[], before: ReadonlySet<string>): Uint8Array {
  const bits = new Uint8Array(Math.ceil(occurrences.length / 8));
  for (const [at, occurrence] of occurrences.entries()) {
    if (!before.has(occurrence)) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return bits;
}

/** Reads the bit of `newOccurrences` for an occurrence. @param bits null if the results were not compared */
export function recheckMark(bits: Uint8Array | null, at: number): RecheckMark | null {
  if (bits === null) return null;
  return (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 1 ? 'new' : 'still';
}
