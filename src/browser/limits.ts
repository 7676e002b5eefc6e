/** Limits of the browser pool. Times in milliseconds, sizes in bytes. */

/** How long a browser may take to print its version. Reading 200 MB from a cold disk takes seconds. */
export const browserTrialMs = 20_000;
/** A half-unpacked folder of this age is abandoned: unpacking takes about 3 s. */
export const abandonedUnpackingMs = 60 * 60 * 1000;
export const launchTimeoutMs = 30_000;
/** How long a browser whose connection is lost may take to end, and to say why. */
export const endGraceMs = 1_000;
/** How long a browser may take to quit before it is killed. */
export const quitGraceMs = 3_000;
/** How long the system may take to remove a killed process. */
export const killGraceMs = 5_000;
/** How long zombies may wait to be reaped by their parent. */
export const reapGraceMs = 1_000;
/** How long resetting or closing a page may take before the whole browser is killed. */
export const pageGraceMs = 5_000;
/** How long a browser may take to respond to a readiness probe. */
export const readinessTimeoutMs = 3_000;
/** The interval at which a browser is probed for liveness, and how long it may take to respond before it is killed. */
export const livenessIntervalMs = 30_000;
export const livenessTimeoutMs = 30_000;
/**
 * A browser is replaced after this many pages, so that slow leaks never add up. Starting one costs as much as about five pages.
 */
export const pagesPerBrowser = 500;
/** The fastest that pages on one core can allocate memory: measured at 4 GB per second. */
export const memoryGrowthBytesPerMsAndCore = 4_000_000;
/** The shortest interval between two memory samples. Reading the processes of a browser takes about 1 ms. */
export const memorySampleMinMs = 10;
/** A crash within this time of a page being killed for its memory is attributed to the kill. */
export const memoryVerdictMs = 10_000;
/** Mapped files that do not count toward a process: the browser's binary and libraries, about 60 MB resident in each process. */
export const mappedBinaryBytes = 150_000_000;
/** Above this, a browser is replaced as soon as its pages have ended. Two slots on large pages stay near 0.7 GB. */
export const browserMemoryBytes = 1_500_000_000;
/** Above this total for all browsers, the largest page is killed at once, so that no page can exhaust the machine. */
export const browserMemoryHardBytes = 2_000_000_000;
/** A page that holds more than this share of the hard limit is killed alone. Otherwise the whole browser is. */
export const pageMemoryShare = 0.25;
/** The number of cores that both memory limits are meant for. With more cores, they grow in proportion. */
export const browserMemoryCores = 2;
/** The JavaScript heap of a page, in MiB. Above it, the page crashes. */
export const pageHeapMebibytes = 1_024;
/** Contexts (HTTP caches of reports) that a slot keeps. The least recently used is closed first. */
export const contextsPerSlot = 4;
/** Windows that a page may open while it is checked. Each is closed at once. */
export const windowsPerPage = 20;
/** Characters kept from the end of a browser's log, to explain why it did not start. */
export const browserLogCharacters = 4_000;
/** Characters of the log line that says why a browser ended. */
export const endReasonCharacters = 500;
/**
 * The longest DevTools response that is read, in bytes; longer ones are discarded. The longest legitimate response is axe's: 32
 * Mi characters of up to six bytes each.
 */
export const devtoolsAnswerMaxBytes = 200 * 1_024 * 1_024;
/** The same for events. Playwright keeps the last 100 requests of each page, with their URLs. */
export const devtoolsEventMaxBytes = 1_024 * 1_024;
/** The same for navigation events, which are not kept: they repeat a URL of up to 2 MiB several times. */
export const devtoolsPageEventMaxBytes = 16 * 1_024 * 1_024;
/** How many times removing a profile folder is retried. */
export const removeProfileRetries = 5;
/**
 * Open pages per page that is worked on. The others wait for their own requests and timers. Each starts with an empty HTTP cache,
 * so more would make short reports slower: with six, 62 pages took 50% more processor time.
 */
export const pagesPerPlace = 3;
/**
 * Shares of `browserMemoryBytes`. Above the first, empty pages collect garbage every `pagesPerCollection` documents. Above the
 * second, fewer waiting pages are kept open. Above the third, none are kept open, and garbage is collected after each document.
 */
export const collectMemoryShare = 0.65;
export const roomyMemoryShare = 0.7;
export const crowdedMemoryShare = 0.9;
/**
 * Documents between two garbage collections. Each document leaves 10 to 20 MB of garbage. A collection also discards compiled
 * scripts and styles: if done after each document, it would make pages a quarter slower.
 */
export const pagesPerCollection = 8;
/** How long a page may take to end a DevTools session, and to show that its login has ended, in milliseconds. */
export const sessionEndMs = 1_000;
export const endSignsMs = 5_000;
/** Storage that is kept from a page, such as a session. Browsers allow more, but sites do not use more for sessions. */
export const storageMaxCharacters = 500_000;
/** Characters of one stored value. Longer values are caches. */
export const storedValueMaxCharacters = 100_000;
