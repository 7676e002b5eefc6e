import { PAGE_LOAD_LIMITS, type PageLoadLimits } from '../../browser/page-load/limits.ts';

/** Limits of rendering one page to find its links. Times in milliseconds. */
export interface RenderLimits extends PageLoadLimits {
  /** One attempt, from opening the page to its links, without the wait for its rest. */
  readonly renderTimeoutMs: number;
  /** A browser that could not be started is left alone for this long; then the pages that wait for it try once more. */
  readonly browserRestMs: number;
}

export const RENDER_LIMITS: RenderLimits = {
  ...PAGE_LOAD_LIMITS,
  renderTimeoutMs: 45_000,
  browserRestMs: 15_000,
};

/** A page that failed through no fault of its own is rendered this often before it counts as failed. */
export const renderAttemptsMax = 2;
/**
 * Pixels. As tall as this, a page shows at once what it adds when somebody scrolls to it. Few pages are taller, and pages
 * that grow without end stop growing here.
 */
export const viewportHeight = 10_000;
/** Addresses that a page may give itself. Real pages do so once or twice; some count up without end. */
export const routesPerPageMax = 100;
/** Characters of all links that leave the page: room for 10,000 of the longest that are kept, never a memory bomb. */
export const linksMaxCharacters = 20 * 1_024 * 1_024;
