import Type, { type Static } from 'typebox';
import { PRESENT_CHANGES } from '../../packages/client/changes.ts';
import { RECHECK_MARKS } from '../domain/change.ts';
import type { Json } from '../domain/check.ts';
import { ADDITIVE, fingerprint, nullable } from '../domain/schemas.ts';

/** Attributes of each occurrence of an issue, for all engines. */
export const OCCURRENCE_MARKS = {
  fingerprint: fingerprint('the occurrence', ADDITIVE),
  change: nullable(
    Type.Enum([...PRESENT_CHANGES]),
    'How the occurrence changed since the previous report. `new`: the previous report did not have it. `persisting`: it did. `regressed`: it had been fixed and is back. `not_checked_before`: an earlier report had it, but the previous one did not check the page. Null if the two reports are not compared, if the page has more than 20,000 occurrences of this type of check in one of them, while the page is checked again, and if the issue is muted.',
    { examples: ['persisting'], ...ADDITIVE },
  ),
  recheck: nullable(
    Type.Enum([...RECHECK_MARKS]),
    'Whether the last re-check of the page found the occurrence again (`still`) or for the first time (`new`); null if the page was not checked again, if the results were not compared, or if the issue is muted.',
    { examples: ['still'], ...ADDITIVE },
  ),
};

const MARKS = Type.Object(OCCURRENCE_MARKS);
export type OccurrenceMarks = Static<typeof MARKS>;

/** The occurrences of an issue on a page with the attributes of `OCCURRENCE_MARKS` for each. */
export interface MarkedOccurrences {
  /** The URL of the frame; null for the page itself. */
  readonly url: string | null;
  readonly slices: Iterable<readonly Json[]>;
  /** @param position its index among the occurrences of all slices */
  markOf(position: number): OccurrenceMarks;
}

/** Returns the occurrences of an issue with their marks. Yields after each slice. */
export function* withMarks<Occurrence extends object>({
  slices,
  markOf,
}: MarkedOccurrences): Generator<void, (Occurrence & OccurrenceMarks)[]> {
  const occurrences: (Occurrence & OccurrenceMarks)[] = [];
  for (const slice of slices) {
    for (const occurrence of slice) occurrences.push({ ...(occurrence as Occurrence), ...markOf(occurrences.length) });
    yield;
  }
  return occurrences;
}
