import { PAGE_LOAD_LIMITS, type PageLoadLimits } from '../../browser/page-load/limits.ts';

/** Limits of rendering one page to find its links. Times in milliseconds. */
export interface RenderLimits extends PageLoadLimits {
  /** One attempt, from opening the page to collecting its links, without waiting for it to settle. */
  readonly renderTimeoutMs: number;
  /** The pause after a browser could not be started. Then each waiting page tries once more. */
  readonly browserRestMs: number;
}

export const RENDER_LIMITS: RenderLimits = {
  ...PAGE_LOAD_LIMITS,
  renderTimeoutMs: 45_000,
  browserRestMs: 15_000,
};

/** Attempts to render a page that failed for a reason outside it. */
export const renderAttemptsMax = 2;
/**
 * Pixels. At this height, pages show at once what they would add on scrolling. Few pages are taller, and endless ones stop
 * growing here.
 */
export const viewportHeight = 10_000;
/** URLs that a page may navigate to within the document. Real pages do so once or twice; some never stop. */
export const routesPerPageMax = 100;
/** Characters of all links collected from a page: enough for 10,000 of the greatest length. */
export const linksMaxCharacters = 20 * 1_024 * 1_024;
