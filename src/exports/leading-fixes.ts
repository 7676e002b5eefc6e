import type { ListedFix } from '../store/issues/fixes.ts';
import type { ReportModel } from './report-model.ts';

/** Fixes of a check without a fix among the first ones, such as dead links on single pages. */
const OTHERS_MAX = 3;

/** The fixes that a summary shows. */
export interface LeadingFixes {
  /** In the order of the plan. */
  readonly fixes: readonly ListedFix[];
  /** The other fixes of the plan, in its order. */
  readonly others: readonly ListedFix[];
  /** Causes of errors that are not in the plan. */
  readonly unplanned: number;
}

/**
 * Returns the first fixes of a report, and some of each check without a fix among them: a dead link matters, even on few pages.
 */
export async function leadingFixes(model: ReportModel, max: number): Promise<LeadingFixes> {
  const all = await model.fixes();
  const first = all.slice(0, max);
  const shown = new Set(first.map(({ kind }) => kind));
  const others = [...Map.groupBy(all.slice(max), ({ kind }) => kind)].flatMap(([kind, fixes]) =>
    shown.has(kind) ? [] : fixes.slice(0, OTHERS_MAX),
  );
  const fixes = new Set([...first, ...others.sort((one, other) => one.position - other.position)]);
  return {
    fixes: [...fixes],
    others: all.filter((fix) => !fixes.has(fix)),
    unplanned: await model.causesLeftOut(),
  };
}

/** Returns a sentence if fixes of the plan between the shown fixes are left out; otherwise nothing. */
export function effectNote(fixes: readonly ListedFix[]): string {
  const hasGaps = fixes.some(({ position }, index) => position > index + 1);
  return hasGaps
    ? ' Each effect assumes that all fixes before it in the plan are made, including fixes that are not shown.'
    : '';
}
