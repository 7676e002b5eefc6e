/** Limits of the accessibility check. Times in milliseconds. */

/** The whole check of one page, from opening it to the result. */
export const a11yCheckTimeoutMs = 60_000;
/** How long a page may take until its `load` event; then it is checked as it stands, if its document is parsed. */
export const a11yLoadTimeoutMs = 20_000;
/** How long after `load` fonts and animations that end by themselves are waited for. */
export const a11ySettleTimeoutMs = 1_000;
/** How long after `load` requests that are still under way are waited for. */
export const a11yNetworkTimeoutMs = 1_000;
/** The network counts as quiet when for this long nothing was under way, once something was after `load`. */
export const a11yNetworkQuietMs = 50;
/** How long the page's main thread may be busy with one script before the page counts as hanging. */
export const a11yUnresponsiveMs = 15_000;
/** How long a frame may take to accept the checker; one that does not is reported as not tested. */
export const a11yFrameTimeoutMs = 2_000;
/** Frames that are looked into, in document order; others are reported as not tested. */
export const a11yFramesMax = 100;
/** How often a page may load itself again while it is checked. */
export const a11yReloadsMax = 2;
