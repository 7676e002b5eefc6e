/** The limits of this folder. */

/**
 * Memory of a process without its database, validator and browser, while it crawls and checks a hostile site on 2 cores:
 * documents in progress, output of the engines, the frontier. `test/e2e/hostile-site.test.ts` checks it.
 */
export const serviceMemoryBytes = 1_000_000_000;
/** The same including the database, validator and browser, on any site. The same test checks it. */
export const memoryTotalBytes = 5_000_000_000;
/**
 * Maximum number of connections to PostgreSQL per process. Requests, work and background tasks have separate pools, so that none
 * starves the others. `worker` holds the lock of the process and listens for work; `lease` keeps the embedded database running.
 */
export const databaseConnectionsMax = { requests: 10, work: 6, background: 4, worker: 1, lease: 1 } as const;
/**
 * Connections of a process that serves no requests. No work needs two connections at a time, and a transaction takes
 * milliseconds: 200 workers stay far below 1,000 connections, above which PostgreSQL becomes slow.
 */
export const workerConnectionsMax = { work: 2, background: 1, worker: 1 } as const;
/** Connections that the embedded database accepts: enough for four processes. */
export const embeddedConnectionsMax = 100;
/** How long a starting database may take to respond. Replaying a long log after a crash takes time. */
export const databaseStartTimeoutSeconds = 120;
/** How long creating a database may take. It takes a few seconds on a slow disk. */
export const databaseCreateTimeoutMs = 120_000;
/** Time between two attempts to join the database while it starts or stops, and between two checks of its clients. */
export const databasePollMs = 100;
/** How long a program that reads the database's files or stops its server may take: longer than a stop may take. */
export const postgresCommandTimeoutMs = 15_000;
/** How long connecting to a database on this machine may take. */
export const databaseConnectTimeoutMs = 5_000;
/**
 * How long to wait for the last clients to leave and then for the database to stop: less than this process may take to end. After
 * that, the database stops on its own.
 */
export const databaseStopTimeoutMs = 8_000;
/** How long closed connections may take to disappear from the database's list: milliseconds, or seconds on a busy machine. */
export const databaseLastClientsMs = 5_000;
/** A larger log of the server is rotated at the next start, replacing the previous one. */
export const databaseLogMaxBytes = 5_000_000;
/** How many lines of the server's log an error shows. */
export const databaseLogTailLines = 12;
/**
 * How long a start that fails for a temporary reason (another process starting it, a port just taken, remains of a killed server)
 * is repeated.
 */
export const databaseStartRetryMs = 15_000;
/** A database that ends more often than this within the window is not started again. */
export const databaseRecoveriesMax = 5;
export const databaseRecoveryWindowMs = 60_000;
