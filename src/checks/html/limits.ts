/** Limits of the HTML check. */

/** Time limit of a check. The slowest page of the test corpora takes less than a second. */
export const htmlCheckTimeoutMs = 60_000;

/**
 * Maximum size of the validator's response for a document: about 100,000 messages. Each NUL is an error, so a document of 10 MiB
 * of them would cause a response of 3 GB.
 */
export const answerMaxBytes = 32 * 1_024 * 1_024;

/**
 * Maximum number of characters that the entities of an XML document may expand to. The validator takes a few seconds for these.
 * Handwritten documents stay under 1% of the limit.
 */
export const entityExpansionMaxCharacters = 1_048_576;

/** Time limit of a readiness probe, which takes milliseconds unless the machine is overloaded. */
export const probeTimeoutMs = 5_000;

/** How long the version of the validator is cached: each check needs it, and requesting it requires a validation. */
export const versionKeptMs = 2_000;

/** Time limit of a start, which takes 2 to 3 s, and ten times as long on a machine with ten times more work than cores. */
export const validatorStartTimeoutMs = 120_000;
export const readinessPollIntervalMs = 25;

/** How long a check that has lost its connection waits for the process to end. */
export const deathNoticeMs = 1_000;

/** Time between SIGTERM and SIGKILL. */
export const validatorStopGraceMs = 2_000;

/** Delay before the validator is restarted. Doubles with each restart, until a check succeeds. */
export const restartBackoffFirstMs = 250;
export const restartBackoffMaxMs = 10_000;

/** The oldest supported version of Java. */
export const oldestJavaVersion = 17;
export const javaVersionTimeoutMs = 30_000;

/** Java's heap. Enough for two documents of 10 MiB with thousands of errors at a time. */
export const defaultHeapMegabytes = 512;

/** Maximum memory of the validator process: the heap, code, threads and buffers. Tested by `test/e2e/hostile-site.test.ts`. */
export const validatorMemoryBytes = 1_000_000_000;

/** Stack of each thread. With 512 kB, reading the schemas overflows. */
export const threadStackMegabytes = 8;

/** Lines of the validator's log that are part of the error when it does not start. */
export const keptLogLines = 20;

/**
 * Validations to warm up with: four times as many take twice the processor time, and hardly speed up documents. The first real
 * check ends the warm-up.
 */
export const warmUpRounds = 10;
/** How often the page for the warm-up repeats its section. */
export const warmUpSections = 12;

/** How long an external validator may take to respond at start. */
export const externalStartTimeoutMs = 15_000;
