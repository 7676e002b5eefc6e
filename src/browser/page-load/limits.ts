/** How long each step of showing a document may take. Times in milliseconds. */
export interface PageLoadLimits {
  /** Until the `load` event; then the page is taken as it stands, if its document is parsed. */
  readonly loadTimeoutMs: number;
  /** After `load`, for fonts; then as long for animations that begin when others end. */
  readonly settleTimeoutMs: number;
  /** A page with scripts is at rest when for this long after `load` nothing was under way and nothing changed in it. */
  readonly restMs: number;
  /** After `load`, for a page with scripts to come to rest; then it is taken as it stands. */
  readonly restTimeoutMs: number;
  /**
   * How long one script may keep the main thread busy, at any time, before the page counts as hanging. That is final, so it
   * is long enough for a script of three seconds on a machine with ten times more work than cores.
   */
  readonly unresponsiveMs: number;
}

export const PAGE_LOAD_LIMITS: PageLoadLimits = {
  loadTimeoutMs: 20_000,
  settleTimeoutMs: 1_000,
  restMs: 500,
  restTimeoutMs: 10_000,
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
/** How often a page may load itself again while it is shown. */
export const reloadsPerPage = 2;
/** An answer that began this long ago and has not ended is a stream, and not waited for any more. */
export const streamAfterMs = 3_000;
/** An address that has been answered this often is polled, and what is asked of it later is not waited for. */
export const answersPerAddressMax = 5;
/** Requests of a page that are waited for. Few pages have more, and those that ask without end are not waited for. */
export const requestsWatchedMax = 1_000;
/** A place in a document that changes more often than this moves by itself, such as a clock, and is not waited for. */
export const changesPerPlaceMax = 20;
/** The same for all places, where each change is at another one. */
export const changesPerPageMax = 200;
/** Characters of a URL in a note. */
export const noteUrlCharactersMax = 300;
