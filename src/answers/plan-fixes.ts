/** What to fix first: decision 0055. */

/** Fixes in a plan at most. */
export const FIXES_MAX = 20;
/**
 * Causes of a page at most: it would take so many fixes to make it pass that it has no influence on a plan of `FIXES_MAX`. This
 * bounds the work for hostile sites.
 */
export const CAUSES_PER_PAGE_MAX = 100;

export interface PlannedFix {
  /** The number of the cause. */
  readonly cause: number;
  /** Pages that pass once only this cause is fixed. */
  readonly passingAfter: number;
  /** Pages that pass once this one and all before it in the plan are fixed. */
  readonly passingAfterPlan: number;
}

/**
 * Plans the fixes after which the most pages pass, greedily: each step takes the cause that makes the most further pages pass;
 * if none makes any, the one that brings the most pages closest to passing.
 * @param pages the distinct causes of errors on each page that fails, as numbers from 0
 * @param causeCount one more than the largest number
 * @param passing pages that pass already
 */
export function planFixes(pages: readonly (readonly number[])[], causeCount: number, passing: number): PlannedFix[] {
  const ranking = createRanking(causeCount);
  const pagesOf: number[][] = Array.from({ length: causeCount }, () => []);
  for (const [page, causes] of pages.entries()) {
    for (const cause of causes) {
      pagesOf[cause]?.push(page);
      ranking.add(cause, causes.length, 1);
    }
  }
  const left = pages.map((causes) => causes.length);
  const alone = ranking.gains();
  const plan: PlannedFix[] = [];
  let after = passing;
  while (plan.length < FIXES_MAX) {
    const best = ranking.takeBest();
    if (best === null) break;
    const { cause, gain } = best;
    after += gain;
    for (const page of pagesOf[cause] ?? []) {
      const before = left[page] ?? 0;
      left[page] = before - 1;
      for (const other of pages[page] ?? []) ranking.move(other, before, before - 1);
    }
    plan.push({ cause, passingAfter: passing + (alone[cause] ?? 0), passingAfterPlan: after });
  }
  return plan;
}

/** Differences of sums of fractions below this are rounding. */
const ROUNDING = 1e-9;

/** Ranks causes by the pages that pass once they are fixed, then by how close pages come to passing. */
function createRanking(causeCount: number) {
  const gains = new Int32Array(causeCount);
  const progress = new Float64Array(causeCount);
  const taken = new Set<number>();

  /** Adds the share of a page with so many causes left, or subtracts it. */
  const add = (cause: number, causesLeft: number, sign: 1 | -1): void => {
    gains[cause] = (gains[cause] ?? 0) + (causesLeft === 1 ? sign : 0);
    progress[cause] = (progress[cause] ?? 0) + sign / causesLeft;
  };
  const isBetter = (cause: number, than: number | null): boolean => {
    if (taken.has(cause) || (progress[cause] ?? 0) < ROUNDING) return false;
    if (than === null) return true;
    const more = (gains[cause] ?? 0) - (gains[than] ?? 0);
    return more > 0 || (more === 0 && (progress[cause] ?? 0) > (progress[than] ?? 0) + ROUNDING);
  };

  return {
    add,
    gains: () => Int32Array.from(gains),
    move(cause: number, before: number, after: number): void {
      if (taken.has(cause)) return;
      add(cause, before, -1);
      add(cause, after, 1);
    },
    takeBest(): { readonly cause: number; readonly gain: number } | null {
      let best: number | null = null;
      for (let cause = 0; cause < causeCount; cause += 1) if (isBetter(cause, best)) best = cause;
      if (best === null) return null;
      taken.add(best);
      return { cause: best, gain: gains[best] ?? 0 };
    },
  };
}
