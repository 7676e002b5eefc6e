/** What a fix of a plan changes: the pages that pass before and after it, and the places with an error that it removes. */
interface Effect {
  readonly before: number;
  readonly after: number;
  readonly removed: number;
}

/** A report, as far as fixes change it. */
interface FixedReport {
  readonly pages: number;
  readonly errors: number;
}

/**
 * Returns what a fix brings: `3 → 5 of 10 pages pass`, or, if it makes no page pass, how many errors it removes. Sites whose pages have
 * many causes of errors each pass after the last of them only.
 * @param shown formats a number
 */
export function fixEffect(
  { before, after, removed }: Effect,
  of: FixedReport,
  shown: (number: number) => string = String,
): string {
  if (after <= before) return `removes ${shown(removed)} of ${shown(of.errors)} error${of.errors === 1 ? '' : 's'}`;
  return `${shown(before)} → ${shown(after)} of ${shown(of.pages)} page${of.pages === 1 ? '' : 's'} pass`;
}
