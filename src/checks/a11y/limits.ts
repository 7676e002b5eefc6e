import { PAGE_LOAD_LIMITS, type PageLoadLimits } from '../../browser/page-load/limits.ts';

/** Limits of the accessibility check of one page. Times in milliseconds. */
export interface A11yLimits extends PageLoadLimits {
  /** The whole check, from opening the page to the result, without the wait for its rest. */
  readonly checkTimeoutMs: number;
  /** The same for a page that is alone in the browser, where every other page waits for its end. */
  readonly aloneTimeoutMs: number;
  /**
   * Characters of what axe found, as JSON: 5,000 faulty elements take 2 to 8 million. A small page can give any amount,
   * and it is held in memory several times on its way.
   */
  readonly resultMaxCharacters: number;
}

/** The time is for 50,000 elements, which take axe 10 to 30 seconds of a processor that may have other work. */
export const A11Y_LIMITS: A11yLimits = {
  ...PAGE_LOAD_LIMITS,
  checkTimeoutMs: 120_000,
  aloneTimeoutMs: 60_000,
  resultMaxCharacters: 32 * 1_024 * 1_024,
};

/** Until a frame must have told the axe of the page around it that it is there, in milliseconds. axe's own half second is
 * too short for a machine with other work, and what is in a frame that is late would be missing. */
export const framePingMs = 3_000;
