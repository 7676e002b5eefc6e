import Type from 'typebox';
import { count } from '../../domain/schemas.ts';
import type { ShownChange } from '../../store/diffs/shown-change.ts';

/** The numbers of occurrences and pages that changed since the previous report. */
export const CHANGE_COUNTS = Type.Object({
  new: count('Occurrences that the previous report did not have.', { examples: [2] }),
  regressed: count('Occurrences that had been fixed in an earlier report and are back.', { examples: [0] }),
  not_checked_before: count('Occurrences of an earlier report on pages that the previous one did not check.', {
    examples: [0],
  }),
  fixed: count('Occurrences that only the previous report has.', { examples: [3] }),
  unverified: count('Occurrences of the previous report that could not be looked for this time.', { examples: [0] }),
  broken_pages: count('Pages that could be checked in the previous report, and not in this one.', { examples: [1] }),
  recovered_pages: count('Pages that could not be checked in the previous report, and could in this one.', {
    examples: [0],
  }),
});

export const CHANGE_COUNTS_EXAMPLE = {
  ...{ new: 2, regressed: 0, not_checked_before: 0, fixed: 3, unverified: 0 },
  ...{ broken_pages: 1, recovered_pages: 0 },
};

export function changeCounts(change: ShownChange): ShownChange {
  const { new: added, regressed, not_checked_before, fixed, unverified, broken_pages, recovered_pages } = change;
  return { new: added, regressed, not_checked_before, fixed, unverified, broken_pages, recovered_pages };
}
