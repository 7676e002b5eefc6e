/** A fix of a plan, as the API describes it. */
interface PlannedFix {
  readonly errors: number;
  readonly passing_before: number;
  readonly passing_after_plan: number;
}

/** A report, as far as fixes change it. */
interface FixedReport {
  readonly pages: number;
  readonly errors: number;
}

/**
 * Returns what each of the first fixes of a plan brings once those before it are made: `3 → 5 of 10 pages pass`, or, if it makes no page
 * pass, how many errors it removes. Pages with several causes of errors pass after the last of them only.
 * @param shown formats a number
 */
export function fixEffects(
  fixes: readonly PlannedFix[],
  of: FixedReport,
  shown: (number: number) => string = String,
): string[] {
  return fixes.map(({ errors: removed, passing_before: now, passing_after_plan: after }, index) => {
    const before = fixes[index - 1]?.passing_after_plan ?? now;
    if (after <= before) return `removes ${shown(removed)} of ${shown(of.errors)} error${of.errors === 1 ? '' : 's'}`;
    return `${shown(before)} → ${shown(after)} of ${shown(of.pages)} page${of.pages === 1 ? '' : 's'} pass`;
  });
}
