/** Limits of event streams. Names end with the unit. */

/** Streams of one account: a browser needs one, and a script one for each report that it waits for. */
export const streamsMax = 20;
/** How often a stream's token is authenticated again: streams of a disabled account end within five seconds. */
export const tokenIntervalMs = 3_000;
/** The minimum time between two reads of the same changes: a report is sent at most twice per second. */
export const readIntervalMs = 500;
/**
 * How often a stream sends a comment, which keeps connections through proxies alive, and looks for changes that were not
 * announced.
 */
export const commentIntervalMs = 15_000;
/** How soon clients should reconnect. */
export const reconnectMs = 2_000;
/** The maximum amount of data that waits for a slow client. A larger event is sent if nothing else is waiting. */
export const waitingMaxBytes = 262_144;
/** How long a client may go without reading while events wait. */
export const behindMaxMs = 60_000;
/** Reports in memory at a time: a single report can have 1 MB of exclusions. */
export const reportsAtATimeMax = 10;
/** The number of reports for which a feed remembers the last state that it sent. */
export const rememberedReportsMax = 500;
/** When a client with too many streams may try again: by then, broken streams have been noticed. */
export const tooManyStreamsRetryS = 30;
