/** Limits of the accessibility check of one page. Times in milliseconds. */
export interface A11yLimits {
  /** The whole check, from opening the page to the result. */
  readonly checkTimeoutMs: number;
  /** Until the `load` event; then the page is checked as it stands, if its document is parsed. */
  readonly loadTimeoutMs: number;
  /** For a server's whole answer to the browser's own request for the document. */
  readonly answerTimeoutMs: number;
  /** After `load`, for fonts and animations that end by themselves. */
  readonly settleTimeoutMs: number;
  /** After `load`, for requests that are still under way. */
  readonly networkTimeoutMs: number;
  /** The network counts as quiet when for this long nothing was under way, once something was after `load`. */
  readonly networkQuietMs: number;
  /** How long one script may keep the main thread busy before the page counts as hanging. */
  readonly unresponsiveMs: number;
}

export const A11Y_LIMITS: A11yLimits = {
  checkTimeoutMs: 60_000,
  loadTimeoutMs: 20_000,
  answerTimeoutMs: 30_000,
  settleTimeoutMs: 1_000,
  networkTimeoutMs: 1_000,
  networkQuietMs: 50,
  unresponsiveMs: 15_000,
};

/** How long a frame may take to accept the checker; one that does not is reported as not tested. */
export const frameTimeoutMs = 2_000;
/** Frames that are looked into, in document order; others are reported as not tested. */
export const framesPerPage = 100;
/** Bytes of a document that the browser requests itself, decoded: as many as the spider takes. */
export const documentMaxBytes = 10 * 1_024 * 1_024;
export const streamChunkBytes = 1_024 * 1_024;
/** How often a page may load itself again while it is checked. */
export const reloadsPerPage = 2;
