import Type, { type Static } from 'typebox';
import { PRESENT_CHANGES, RECHECK_MARKS } from '../domain/change.ts';
import type { Json } from '../domain/check.ts';
import { ADDITIVE, fingerprint, nullable } from '../domain/schemas.ts';

/** Attributes of each occurrence of an issue, for all engines. */
export const PLACE_MARKS = {
  fingerprint: fingerprint('the occurrence', ADDITIVE),
  change: nullable(
    Type.Enum([...PRESENT_CHANGES]),
    'What became of the place since the previous report: `new`, `persisting`, `regressed`, which means fixed before and back now, or `found_again`, which means that a report before had it and the previous one did not check the page; null if the two reports are not compared, if the page has more than 20,000 places of this kind of check in one of them, while the page is checked again, and if the issue is muted.',
    { examples: ['persisting'], ...ADDITIVE },
  ),
  recheck: nullable(
    Type.Enum([...RECHECK_MARKS]),
    'Whether the last re-check of the page found the occurrence again (`still`) or for the first time (`new`); null if the page was not checked again, if the results were not compared, or if the issue is muted.',
    { examples: ['still'], ...ADDITIVE },
  ),
};

const MARKS = Type.Object(PLACE_MARKS);
export type PlaceMarks = Static<typeof MARKS>;

/** The occurrences of an issue on a page with the attributes of `PLACE_MARKS` for each. */
export interface MarkedPlaces {
  /** The URL of the frame; null for the page itself. */
  readonly url: string | null;
  readonly slices: Iterable<readonly Json[]>;
  /** @param place its index among the occurrences of all slices */
  markOf(place: number): PlaceMarks;
}

/** Returns the occurrences of an issue with their marks. Yields after each slice. */
export function* withMarks<Place extends object>({
  slices,
  markOf,
}: MarkedPlaces): Generator<void, (Place & PlaceMarks)[]> {
  const places: (Place & PlaceMarks)[] = [];
  for (const slice of slices) {
    for (const place of slice) places.push({ ...(place as Place), ...markOf(places.length) });
    yield;
  }
  return places;
}
