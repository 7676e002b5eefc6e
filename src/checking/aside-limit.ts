import type { StepAside } from '../browser/page-permit.ts';

/** Returns a function that limits how many checks step aside at a time. Others wait while they count as running. */
export function createAsideLimit(max: number): (stepAside: StepAside) => StepAside {
  let aside = 0;
  return (stepAside) => async (wait) => {
    if (aside >= max) return wait();
    aside += 1;
    try {
      return await stepAside(wait);
    } finally {
      aside -= 1;
    }
  };
}
