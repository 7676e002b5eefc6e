/** Limits of every request that leaves the service, each with its unit last. */

/** Milliseconds to look a name up. Name servers on the way give up on a silent one after some 5 to 10 seconds. */
export const nameLookupTimeoutMs = 10_000;

/**
 * Milliseconds until a name server is asked once more, twice as long each time. One that was seen to answer fast is asked
 * again after 250, so that it takes this many times until a slow answer has had its whole time.
 */
export const nameServerTimeoutMs = 2_000;
export const nameServerTries = 6;

/** Milliseconds that the second of two questions, for IPv4 and IPv6 addresses, is waited for when the first is answered. */
export const nameFamilyGraceMs = 1_000;

/** Milliseconds after which the machine's list of name servers is read again: it may have changed networks. */
export const resolverMaxAgeMs = 5_000;

/** Milliseconds for a name that only the machine's other sources of names may know, and to wait for the turn to ask them. */
export const systemLookupTimeoutMs = 3_000;

/** Milliseconds to open a connection once the name has been looked up: TCP and TLS together. */
export const connectTimeoutMs = 10_000;

/** Milliseconds from the request to the head of the answer. */
export const headersTimeoutMs = 30_000;

/** Milliseconds without a byte of the body. */
export const bodyIdleTimeoutMs = 15_000;

/** Milliseconds for one request from its hand-over to the last byte: a server that drips must not hold a report. */
export const requestTimeoutMs = 60_000;

/** Bytes of the head of an answer. Servers keep theirs under 8 to 32 KiB; browsers give up at 256. */
export const responseHeadMaxBytes = 64 * 1_024;

/** Connections of the spider to one origin at a time. */
export const connectionsPerOriginMax = 8;

/** Bytes of a document with its content encoding undone, and of the transfer too. Ten times the largest sane page. */
export const documentMaxBytes = 10 * 1_024 * 1_024;

/** Milliseconds that a server is left alone after `429 Too Many Requests` that names no time. */
export const defaultRestMs = 5_000;

/** The longest rest that a server may ask for, in milliseconds. One that asks for more is not waited for. */
export const restMaxMs = 120_000;

/** Milliseconds that an idle connection is kept where the server names no time of its own. */
export const keepAliveMs = 4_000;

/**
 * Bytes of an answer nobody wants that are read and thrown away. Up to here reading costs less than opening a new
 * connection.
 */
export const discardMaxBytes = 64 * 1_024;

/** Bodies of a process that are unpacked at a time. Each may come to its limit before it is known how large it is. */
export const unpackedAtATimeMax = 4;

/** Content encodings on top of each other that are undone. One is normal, more are a trick. */
export const contentEncodingsMax = 3;

/** Base-2 logarithm of the memory in bytes that a zstd body may ask for: 8 MiB, as RFC 9659 sets for the web. */
export const zstdWindowLogMax = 23;

/** Bytes of the head of a message that the browser's proxy passes on: what Chromium takes. */
export const proxyHeadMaxBytes = 256 * 1_024;

/** Milliseconds without a byte on a connection of the browser's proxy. Checks end long before. */
export const proxyIdleMs = 120_000;
