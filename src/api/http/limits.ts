/** Limits of the HTTP server. Names end with the unit. */

/** Larger bodies are refused (decisions.md). */
export const bodyMaxBytes = 1_048_576;
/** How long the rest of a refused body may take. After that, the connection is closed with the response. */
export const discardTimeoutMs = 2_000;
/** Shorter responses fit into one packet, so compressing them gains nothing. */
export const compressedMinBytes = 1_024;
/** How long a whole request may take to arrive. */
export const requestTimeoutMs = 60_000;
/** How long a closing server waits for running requests. */
export const closeGraceMs = 3_000;
/** Requests with a share link, which is public: enough for about twenty people who view its report at the same time. */
export const linkRequestsPerMinute = 600;
/** Requests with the cookie of a session: a busy screen makes a few per second, and users open only some screens at a time. */
export const sessionRequestsPerMinute = 1_200;
/** Requests below `/auth` from one address. Sign-in attempts have lower limits. */
export const authRequestsPerMinute = 300;
/** When a client may try again after the database failed: an embedded database has restarted by then. */
export const unavailableRetryS = 5;
/** All ids are shorter, so longer parameters are not found. */
export const pathParameterMaxCharacters = 100;
/** Room for every kind of unique id. */
export const idempotencyKeyMaxCharacters = 255;
/** Maximum number of unexpired keys per account, because each stores a response: one every 9 seconds. */
export const idempotencyKeysMax = 10_000;
/** How long a request waits for another request with the same key, and the time between its attempts. */
export const sameKeyWaitMs = 10_000;
export const sameKeyRetryMs = 250;
/** Downloads of an account, or with a share link, at a time. */
export const exportsMax = 4;
/** When a client with too many downloads may try again: most downloads take less time. */
export const tooManyExportsRetryS = 10;
/** How long a client may go without reading any of a file. */
export const fileIdleMs = 60_000;

/** How responses are compressed, in order of preference: names in `Accept-Encoding`, and names for people. */
export const RESPONSE_ENCODINGS = [
  { name: 'zstd', words: 'Zstandard' },
  { name: 'br', words: 'Brotli' },
  { name: 'gzip', words: 'gzip' },
] as const;
