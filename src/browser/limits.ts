/** Limits of the browser pool. Times in milliseconds, sizes in bytes. */

/** How long a browser may take to print its version. A cold disk needs seconds for 200 MB. */
export const browserTrialMs = 20_000;
/** A folder left half unpacked for this long has no living owner: unpacking takes about 3 s. */
export const ABANDONED_UNPACKING_MS = 60 * 60 * 1000;
export const launchTimeoutMs = 30_000;
/** How long a browser may take to end by itself before it is killed. */
export const quitGraceMs = 3_000;
/** How long the system may take to end a killed process. */
export const killGraceMs = 5_000;
/** How long the remains of ended processes may wait for their parent. */
export const reapGraceMs = 1_000;
/** How long a page may take to be emptied or closed before the whole browser is killed. */
export const pageGraceMs = 5_000;
/** How long a browser may take to answer when asked whether it lives. */
export const readinessTimeoutMs = 3_000;
/** A browser is replaced after this many pages: slow leaks never add up. */
export const pagesPerBrowser = 200;
export const memorySampleIntervalMs = 1_000;
/** The same once a quarter of the hard limit is taken: a page may take a gigabyte in a second. */
export const memorySampleCloseMs = 150;
/** Above this a browser is replaced as soon as its pages have ended. Two slots on large pages stay near 0.7 GB. */
export const browserMemoryBytes = 1_500_000_000;
/** Above this the page that takes most is ended at once, so that one page cannot take the machine down. */
export const browserMemoryHardBytes = 3_000_000_000;
/** JavaScript objects of one page, in MiB; the page crashes above it. */
export const pageHeapMebibytes = 1_024;
/** Contexts (HTTP caches of reports) that a slot keeps; the one used longest ago goes first. */
export const contextsPerSlot = 4;
/** Windows that a page may open while it is checked; each is closed at once. */
export const windowsPerPage = 20;
/** How often the contents of a stuck profile folder are tried to be removed. */
export const removeProfileRetries = 5;
/**
 * Pages open at a time for each that is worked on. The others wait for what they load and draw by themselves. Small pages take
 * 40 MB each, so that the pages of two cores stay below the memory at which fewer are opened.
 */
export const pagesPerPlace = 8;
/**
 * Shares of the memory at which a browser is replaced: from the first on fewer pages are opened beside those that are worked
 * on, from the second on none.
 */
export const roomyMemoryShare = 0.6;
export const crowdedMemoryShare = 0.9;
