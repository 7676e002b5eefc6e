/** Limits of outgoing requests. */

/** Time limit of a name lookup in milliseconds. Recursive name servers wait 5 to 10 seconds for other servers. */
export const nameLookupTimeoutMs = 10_000;

/**
 * Milliseconds until a query to a name server is retried, doubled with each retry. For servers that have responded fast, c-ares
 * starts with 250, so it takes this many tries to use up the time limit.
 */
export const nameServerTimeoutMs = 2_000;
export const nameServerTries = 6;

/** Milliseconds to wait for the second of the IPv4 and IPv6 queries after the response to the first query. */
export const nameFamilyGraceMs = 1_000;

/** Milliseconds after which the machine's name servers are read again, since it may have changed networks. */
export const resolverMaxAgeMs = 5_000;

/** Milliseconds for a system lookup, and to wait until no other lookup is in progress. */
export const systemLookupTimeoutMs = 3_000;

/** Milliseconds to open a connection after the name lookup: TCP and TLS together. */
export const connectTimeoutMs = 10_000;

/** Milliseconds from the request to the response headers. */
export const headersTimeoutMs = 30_000;

/** Milliseconds between two chunks of a body. */
export const bodyIdleTimeoutMs = 15_000;

/** Milliseconds for a whole request, so that a slow server cannot block a report. */
export const requestTimeoutMs = 60_000;

/** Maximum size of response headers. Servers limit theirs to 8 to 32 KiB, and browsers accept 256 KiB. */
export const responseHeadMaxBytes = 64 * 1_024;

/**
 * Connections to one origin at a time. Requests to sites first wait for their turn at the host, which accounts share, so fewer
 * are used: a request that waits for a connection already counts as sent.
 */
export const connectionsPerOriginMax = 32;

/** Maximum size of a document, both as transferred and decoded. Ten times the largest reasonable page. */
export const documentMaxBytes = 10 * 1_024 * 1_024;

/** Milliseconds to wait after a `429 Too Many Requests` without `Retry-After`. */
export const defaultRestMs = 5_000;

/** The longest `Retry-After` that is honored, in milliseconds. Requests to servers that require more time fail. */
export const restMaxMs = 120_000;

/** Milliseconds that an idle connection is kept open, unless the server specifies a time. */
export const keepAliveMs = 4_000;

/**
 * Bytes of an unwanted body that are read and discarded. Up to this size, that is cheaper than opening a new connection.
 */
export const discardMaxBytes = 64 * 1_024;

/** Bodies that a process decompresses at a time. The size of each is unknown until its end or its limit. */
export const unpackedAtATimeMax = 4;

/** Maximum number of nested content encodings. Legitimate responses have one. */
export const contentEncodingsMax = 3;

/** Base-2 logarithm of the maximum window of zstd in bytes: 8 MiB, as RFC 9659 requires. */
export const zstdWindowLogMax = 23;

/** Maximum size of headers in the browser's proxy: the limit of Chromium. */
export const proxyHeadMaxBytes = 256 * 1_024;

/** Milliseconds after which the browser's proxy closes idle connections. Checks take less time. */
export const proxyIdleMs = 120_000;
