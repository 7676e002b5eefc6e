/** Time limits for the steps of showing a document, in milliseconds. */
export interface PageLoadLimits {
  /** Until the `load` event. After that, the page is used in its current state, if its document is parsed. */
  readonly loadTimeoutMs: number;
  /** After `load`, for fonts, and then again for animations that start when others end. */
  readonly fontsTimeoutMs: number;
  /** A page with scripts is settled when it has had no pending requests and no changes for this long after `load`. */
  readonly quietMs: number;
  /** After `load`, for a page with scripts to settle. After that, the page is used in its current state. */
  readonly settleTimeoutMs: number;
  /**
   * How long a script may block the main thread before the page counts as hanging. That fails the check permanently, so a script
   * of three seconds must pass even on a machine with ten times more work than cores.
   */
  readonly unresponsiveMs: number;
}

export const PAGE_LOAD_LIMITS: PageLoadLimits = {
  loadTimeoutMs: 20_000,
  fontsTimeoutMs: 1_000,
  quietMs: 500,
  settleTimeoutMs: 10_000,
  unresponsiveMs: 30_000,
};

/** The interval at which a loading page is probed for whether its main thread responds. */
export const probeIntervalMs = 1_000;
/** The interval at which a page that loads again after its `load` event is polled. */
export const reloadingPollMs = 100;
/** A document that a script has opened and not closed is used in its current state after this long without pending requests. */
export const openedQuietMs = 500;
/** How long a frame may take to respond before it is skipped. */
export const frameTimeoutMs = 3_000;
/** Frames that are checked, in document order. */
export const framesPerPage = 100;
/** How many times a page may reload itself while it is shown. */
export const reloadsPerPage = 2;
/** A response that has not ended this long after its start counts as a stream and is no longer waited for. */
export const streamAfterMs = 3_000;
/** Requests to one address that are waited for. Later requests count as polling. */
export const answersPerAddressMax = 5;
/** Requests of a page that are waited for. Few pages send more, and some never stop sending requests. */
export const requestsWatchedMax = 1_000;
/** URLs per browser context whose versions are remembered. */
export const cachedVersionsMax = 10_000;
/** Changes of one node that are waited for. A node that changes more often, such as a clock, keeps updating. */
export const changesPerNodeMax = 20;
/** Changes of all nodes that are waited for. */
export const changesPerPageMax = 200;
/** Maximum length of a URL in a note, in characters. */
export const noteUrlCharactersMax = 300;
/** Files of a page that are recorded, and the length of their URLs: enough for large pages. */
export const recordedResourcesMax = 300;
export const recordedUrlCharactersMax = 2_000;
/** Responses for one URL, such as an image that several frames load. */
export const recordedResponsesPerUrlMax = 20;
/** Responses of a page whose bodies are recorded. */
export const recordedBodiesMax = recordedResourcesMax * recordedResponsesPerUrlMax;
/** Maximum sizes of the bodies that are read: of each, and of all bodies of a page. Most scripts and images are smaller. */
export const recordedBodyMaxBytes = 5 * 1_024 * 1_024;
export const recordedBodiesMaxBytes = 30 * 1_024 * 1_024;
