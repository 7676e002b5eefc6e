import Type from 'typebox';
import { DECISION_EFFECTS, type DecisionEffects } from '../../../packages/client/changes.ts';
import { noneOf } from '../../domain/amounts.ts';
import { count } from '../../domain/schemas.ts';
import type { ShownChange } from '../../store/diffs/shown-change.ts';

export const NOTHING_DECIDED: DecisionEffects = noneOf(DECISION_EFFECTS);

/** The occurrences that decisions have changed. */
export const DECIDED = Type.Object(
  {
    error: count(
      'Occurrences in both reports that are errors in this one only because of a decision; counted as `persisting`.',
    ),
    not_an_error: count(
      'Occurrences in the earlier report that a decision excludes from this one; counted as `unverified`.',
    ),
    error_before: count(
      'Occurrences in both reports that were errors in the earlier one only because of a decision; counted as `persisting`.',
    ),
    not_an_error_before: count(
      'Occurrences in this report that a decision excluded from the earlier one; counted as `not_checked_before`.',
    ),
  },
  {
    description: 'Occurrences that decisions have changed. They are neither new nor fixed.',
    examples: [NOTHING_DECIDED],
  },
);

/** The numbers of occurrences and pages that changed since the previous report. */
export const CHANGE_COUNTS = Type.Object({
  new: count('Occurrences that the previous report did not have.', { examples: [2] }),
  regressed: count('Occurrences that had been fixed in an earlier report and are back.', { examples: [0] }),
  not_checked_before: count('Occurrences of an earlier report on pages that the previous one did not check.', {
    examples: [0],
  }),
  fixed: count('Occurrences that only the previous report has.', { examples: [3] }),
  unverified: count('Occurrences of the previous report that this report could not check for.', { examples: [0] }),
  decided: DECIDED,
  broken_pages: count('Pages that could be checked in the previous report but not in this one.', { examples: [1] }),
  recovered_pages: count('Pages that could not be checked in the previous report but could in this one.', {
    examples: [0],
  }),
});

export const CHANGE_COUNTS_EXAMPLE = {
  ...{ new: 2, regressed: 0, not_checked_before: 0, fixed: 3, unverified: 0, decided: NOTHING_DECIDED },
  ...{ broken_pages: 1, recovered_pages: 0 },
};

export function changeCounts(change: ShownChange): ShownChange {
  const {
    new: added,
    regressed,
    not_checked_before,
    fixed,
    unverified,
    decided,
    broken_pages,
    recovered_pages,
  } = change;
  return { new: added, regressed, not_checked_before, fixed, unverified, decided, broken_pages, recovered_pages };
}
