/** What to fix first: decision 0055. */

/** Maximum number of fixes in a plan: more than most sites have causes, and about a megabyte. */
export const FIXES_MAX = 1_000;
/**
 * How many causes are considered in all steps of a plan together, which takes a fraction of a second. Ends the plans of reports
 * with very many causes.
 */
const LOOKS_MAX = 20_000_000;
/**
 * Maximum number of causes on a page: a page with more would need so many fixes to pass that it hardly influences the plan. This
 * limits the work for hostile sites.
 */
export const CAUSES_PER_PAGE_MAX = 100;

export interface PlannedFix {
  /** The number of the cause. */
  readonly cause: number;
  /** Pages that pass if only this cause is fixed. */
  readonly passingAfter: number;
  /** Pages that pass once this cause and all earlier causes in the plan are fixed. */
  readonly passingAfterPlan: number;
}

/** The errors that fixing a cause removes, on all pages. */
export interface CauseErrors {
  readonly errors: number;
  /** Pages that have these errors. */
  readonly pages: number;
  /** Whether the errors hinder visitors severely: a broken link, or a critical or serious barrier. */
  readonly isSevere: boolean;
}

/** A page with a severe error counts as this many pages with a less severe error. */
const SEVERE_WEIGHT = 2;

/**
 * Plans the fixes after which the most pages pass, greedily: each step takes the cause that makes the most additional pages pass.
 * Among equal causes, it prefers, in this order: a cause on pages that can pass, so that a hostile page displaces no other; the
 * cause on the most pages, which count twice if it is severe; the fix that removes the most errors; the fix that brings the most
 * pages closest to passing; the first.
 * @param pages for each page that fixes can make pass, the distinct causes of its errors, as numbers from 0
 * @param causes by number, including those that are only on other pages
 * @param passing pages that pass already
 */
export function planFixes(
  pages: readonly (readonly number[])[],
  causes: readonly CauseErrors[],
  passing: number,
): PlannedFix[] {
  const ranking = createRanking(causes);
  const pagesOf: number[][] = causes.map(() => []);
  for (const [page, onPage] of pages.entries()) {
    for (const cause of onPage) {
      pagesOf[cause]?.push(page);
      ranking.add(cause, onPage.length, 1);
    }
  }
  const left = pages.map((onPage) => onPage.length);
  const alone = ranking.gains();
  const plan: PlannedFix[] = [];
  let after = passing;
  for (const { cause, gain } of ranking.bestFirst(stepsMax(causes.length))) {
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

/** Returns the maximum number of steps of a plan for this many causes. */
function stepsMax(causes: number): number {
  return Math.min(FIXES_MAX, Math.floor(LOOKS_MAX / Math.max(1, causes)));
}

/** Differences of sums of fractions below this are rounding. */
const ROUNDING = 1e-9;

/** Ranks causes in the order of `planFixes`. */
function createRanking(causes: readonly CauseErrors[]) {
  const gains = new Int32Array(causes.length);
  const progress = new Float64Array(causes.length);
  const taken = new Set<number>();

  /** Adds or subtracts the share of a page with this many causes left. */
  const add = (cause: number, causesLeft: number, sign: 1 | -1): void => {
    gains[cause] = (gains[cause] ?? 0) + (causesLeft === 1 ? sign : 0);
    progress[cause] = (progress[cause] ?? 0) + sign / causesLeft;
  };
  /** Positive if the first cause is better. Shares are sums of fractions. */
  const compare = (cause: number, other: number): number => {
    const pages = (gains[cause] ?? 0) - (gains[other] ?? 0);
    const useful = Number((progress[cause] ?? 0) >= ROUNDING) - Number((progress[other] ?? 0) >= ROUNDING);
    const reach = reachOf(causes[cause]) - reachOf(causes[other]);
    const errors = (causes[cause]?.errors ?? 0) - (causes[other]?.errors ?? 0);
    const closer = (progress[cause] ?? 0) - (progress[other] ?? 0);
    return pages || useful || reach || errors || (Math.abs(closer) < ROUNDING ? 0 : closer);
  };

  return {
    add,
    gains: () => Int32Array.from(gains),
    move(cause: number, before: number, after: number): void {
      if (taken.has(cause)) return;
      add(cause, before, -1);
      add(cause, after, 1);
    },
    /** Yields the best causes, each from the causes that are left at that time. */
    *bestFirst(max: number): Generator<{ readonly cause: number; readonly gain: number }> {
      while (taken.size < Math.min(max, causes.length)) {
        let best = -1;
        for (let cause = 0; cause < causes.length; cause += 1) {
          if (!taken.has(cause) && (best === -1 || compare(cause, best) > 0)) best = cause;
        }
        taken.add(best);
        yield { cause: best, gain: gains[best] ?? 0 };
      }
    },
  };
}

/** Pages that have the errors of a cause, by severity. */
function reachOf(cause: CauseErrors | undefined): number {
  return cause === undefined ? 0 : cause.pages * (cause.isSevere ? SEVERE_WEIGHT : 1);
}
