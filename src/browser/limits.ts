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
/** How long a browser may take to answer when asked whether it is ready. */
export const readinessTimeoutMs = 3_000;
/** How often a browser is asked for a sign of life, and how long it may take to give one before it is killed. */
export const livenessIntervalMs = 30_000;
export const livenessTimeoutMs = 30_000;
/** A browser is replaced after this many pages: slow leaks never add up. */
export const pagesPerBrowser = 200;
/** What pages can take at most on each core, writing new memory as fast as they can: measured at 4 GB in a second. */
export const memoryGrowthBytesPerMsAndCore = 4_000_000;
/** Looking at the processes of a browser takes a millisecond. */
export const memorySampleMinMs = 10;
/** How long after ending a page for its memory a crash is put down to that. */
export const memoryVerdictMs = 10_000;
/** Mapped files of a process that are not counted: the browser's binary and libraries, of which each process shows 60 MB. */
export const mappedBinaryBytes = 150_000_000;
/** Above this a browser is replaced as soon as its pages have ended. Two slots on large pages stay near 0.7 GB. */
export const browserMemoryBytes = 1_500_000_000;
/** Above this, over all browsers, the page that takes most is ended at once, so that one page cannot take the machine down. */
export const browserMemoryHardBytes = 2_000_000_000;
/** A page that holds more than this share of it is ended alone, rather than the whole browser. */
export const pageMemoryShare = 0.25;
/** Cores of the machine that these two are for; with more of them, both grow in proportion. */
export const browserMemoryCores = 2;
/** JavaScript objects of one page, in MiB; the page crashes above it. */
export const pageHeapMebibytes = 1_024;
/** Contexts (HTTP caches of reports) that a slot keeps; the one used longest ago goes first. */
export const contextsPerSlot = 4;
/** Windows that a page may open while it is checked; each is closed at once. */
export const windowsPerPage = 20;
/** Characters at the end of a browser's log that say why it did not start. */
export const browserLogCharacters = 4_000;
/**
 * What the browser may tell in one message, in bytes; the rest is passed over. The longest answer is that of axe: 32 Mi
 * characters, each of six bytes at most.
 */
export const devtoolsAnswerMaxBytes = 200 * 1_024 * 1_024;
/** The same for what nobody has asked for. Playwright keeps the last 100 requests of each page, with their URLs. */
export const devtoolsEventMaxBytes = 1_024 * 1_024;
/** The same for where a page goes, of which nothing is kept: a URL has at most 2 MiB, and stands in a message several times. */
export const devtoolsPageEventMaxBytes = 16 * 1_024 * 1_024;
/** How often the contents of a stuck profile folder are tried to be removed. */
export const removeProfileRetries = 5;
/**
 * Pages open at a time for each that is worked on. The others wait for what they load and draw by themselves. A page that
 * waits two seconds for an API and is worked on for half a second takes five.
 */
export const pagesPerPlace = 6;
/**
 * Shares of the memory at which a browser is replaced. Above the first, pages that were emptied collect their garbage, which
 * costs each as much as a third of a page; above the second, fewer pages are opened beside those that are worked on; above
 * the third, none.
 */
export const collectMemoryShare = 0.5;
export const roomyMemoryShare = 0.7;
export const crowdedMemoryShare = 0.9;
