/** How long each step of showing a document may take. Times in milliseconds. */
export interface ShowingLimits {
  /** Until the `load` event; then the page is taken as it stands, if its document is parsed. */
  readonly loadTimeoutMs: number;
  /** For a server's whole answer to the browser's own request for the document. */
  readonly answerTimeoutMs: number;
  /** After `load`, for fonts; then as long for animations that begin when others end. */
  readonly settleTimeoutMs: number;
  /** After `load`, for requests that are still under way. */
  readonly networkTimeoutMs: number;
  /** The network counts as quiet when for this long nothing was under way, once something was after `load`. */
  readonly networkQuietMs: number;
  /**
   * How long one script may keep the main thread busy, at any time, before the page counts as hanging. That is final, so it
   * is long enough for a script of three seconds on a machine with ten times more work than cores.
   */
  readonly unresponsiveMs: number;
}

export const SHOWING_LIMITS: ShowingLimits = {
  loadTimeoutMs: 20_000,
  answerTimeoutMs: 30_000,
  settleTimeoutMs: 1_000,
  networkTimeoutMs: 1_000,
  networkQuietMs: 50,
  unresponsiveMs: 30_000,
};

/** How often a page that is loading is asked for a sign of life. */
export const probeIntervalMs = 1_000;
/** How often a page is looked at that is loading anew after its `load` event. */
export const loadingAnewPollMs = 100;
/** A document that a script has opened and not closed is taken as it stands when nothing was under way for this long. */
export const openedQuietMs = 500;
/** How long a frame may take to answer; one that does not is passed over. */
export const frameTimeoutMs = 3_000;
/** Frames that are looked into, in document order. */
export const framesPerPage = 100;
export const streamChunkBytes = 1_024 * 1_024;
/** How often a page may load itself again while it is shown. */
export const reloadsPerPage = 2;
