import type { DatabaseOptions } from '../../src/store/database.ts';

/** Limits for tests that aren't about limits: enough on a machine with ten times more work than cores. */

/** Time for a page, in milliseconds. */
export const patienceMs = 240_000;

/** Limits of checks and of rendering. A page that never settles still takes its usual time. */
export const PATIENT_PAGES = {
  loadTimeoutMs: patienceMs,
  unresponsiveMs: patienceMs,
  checkTimeoutMs: patienceMs,
  aloneTimeoutMs: patienceMs,
  renderTimeoutMs: patienceMs,
};

/** Limits of the spider's requests: sites of tests may hold responses back. */
export const PATIENT_HTTP = {
  headersTimeoutMs: patienceMs,
  bodyIdleTimeoutMs: patienceMs,
  requestTimeoutMs: patienceMs,
};

/** Limits of statements, locks and transactions. */
export const PATIENT_DATABASE = {
  limits: {
    connectTimeoutMs: 200_000,
    statementTimeoutMs: 200_000,
    lockTimeoutMs: 150_000,
    idleInTransactionTimeoutMs: 200_000,
  },
} as const satisfies DatabaseOptions;
