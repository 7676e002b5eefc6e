/** The limits of this folder. */

/**
 * Memory of a process without its database, validator and browser, while it crawls and checks a hostile site on 2 cores:
 * documents in progress, answers of the checkers, the frontier. `test/e2e/hostile-site.test.ts` checks it.
 */
export const serviceMemoryBytes = 1_000_000_000;
/** The same with database, validator and browser, on any site. The same test checks it. */
export const memoryTotalBytes = 5_000_000_000;
/** Until a starting database must answer; replaying a long log after a crash takes its time. */
export const databaseStartTimeoutSeconds = 120;
/** For creating a database, which takes a few seconds on a slow disk. */
export const databaseCreateTimeoutMs = 120_000;
/** Between two attempts to join the database while it starts or stops, and between two looks at its clients. */
export const databasePollMs = 100;
/** For a program that looks at the database's files or stops its server: longer than a stop may take. */
export const postgresCommandTimeoutMs = 15_000;
/** For a connection to a database on this machine. */
export const databaseConnectTimeoutMs = 5_000;
/** How long the end of the database is waited for, which then goes on by itself: less than this process may take to end. */
export const databaseStopTimeoutSeconds = 8;
/** How long connections closed by a leaving process may take to vanish from the database's own list. */
export const databaseLastClientsMs = 1_000;
/** A server log of more bytes than this is put aside at the next start, replacing the one put aside before. */
export const databaseLogMaxBytes = 5_000_000;
/** How many lines of the server's log an error shows. */
export const databaseLogTailLines = 12;
/** How long a start that fails for a passing reason (another starter, a port just taken, remains of a killed server) is repeated. */
export const databaseStartRetryMs = 15_000;
/** A database that ended more often than this within the window is given up: something ends it each time. */
export const databaseRecoveriesMax = 5;
export const databaseRecoveryWindowMs = 60_000;
