import { formatNumber, plural } from './amounts.ts';

/** A fix of a plan, as the API describes it. */
interface PlannedFix {
  readonly errors: number;
  readonly passing_before_plan: number;
  readonly passing_after_plan: number;
}

/** The numbers of a report that fixes change. */
interface FixedReport {
  readonly pages: number;
  readonly errors: number;
}

/**
 * Returns the effect of a fix after all earlier fixes in the plan, even if they are not shown: `3 → 5 of 10 pages pass`, or, if
 * it makes no page pass, how many errors it removes. Pages with several causes of errors only pass after the last fix.
 */
export function fixEffectWords(fix: PlannedFix, { pages, errors }: FixedReport): string {
  const { errors: removed, passing_before_plan: before, passing_after_plan: after } = fix;
  if (after <= before) return `removes ${formatNumber(removed)} of ${plural(errors, 'error')}`;
  return `${formatNumber(before)} → ${formatNumber(after)} of ${plural(pages, 'page')} ${pages === 1 ? 'passes' : 'pass'}`;
}
