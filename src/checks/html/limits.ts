/** The limits of the HTML check, in one place. */

/** A check that has not ended after this time fails. The slowest page of the test corpora takes under a second. */
export const htmlCheckTimeoutMs = 60_000;

/**
 * Bytes of the validator's answer for one document: about 100,000 messages. Every NUL is an error of its own, so that 10 MiB
 * of them would give 3 GB.
 */
export const answerMaxBytes = 32 * 1_024 * 1_024;

/**
 * Characters by which the entities that an XML document declares may make it longer: the validator takes some seconds for so
 * many. Documents written by hand stay under a hundredth of it.
 */
export const entityExpansionMaxCharacters = 1_048_576;

/** How long the health probe may wait for its answer, which takes milliseconds unless the machine is overloaded. */
export const probeTimeoutMs = 5_000;

/** The validator is ready after 2 to 3 s; a machine with ten times more work than cores needs ten times as long. */
export const validatorStartTimeoutMs = 120_000;
export const readinessPollIntervalMs = 25;

/** How long a check that lost its connection waits to see whether the process has ended. */
export const deathNoticeMs = 1_000;

/** From the polite signal to SIGKILL. */
export const validatorStopGraceMs = 2_000;

/** Between a death of the validator and its next start: doubled each time, until a check has gone well again. */
export const restartBackoffFirstMs = 250;
export const restartBackoffMaxMs = 10_000;

/** The oldest Java that is tried and supported. */
export const oldestJavaVersion = 17;
export const javaVersionTimeoutMs = 30_000;

/** Java's heap. Two documents of 10 MiB with thousands of errors at a time fit; about 150 MB more are used beside it. */
export const defaultHeapMegabytes = 512;

/** Memory of the validator's process with that heap: code, threads and buffers come on top. `test/e2e/hostile-site.test.ts`. */
export const validatorMemoryBytes = 1_000_000_000;

/** For each thread. Smaller ones (512 kB) overflow while the schemas are read. */
export const threadStackMegabytes = 8;

/** Lines of the validator's own log that go into the error when it does not start. */
export const keptLogLines = 20;

/** Warm-up ends after so many rounds, or with the first real check. */
export const warmUpRounds = 40;

/** How long a validator run by others may take for its first answer. */
export const externalStartTimeoutMs = 15_000;
