const patienceMs = 240_000;

/** Limits of the spider's requests for tests of something else, whose sites may hold responses back for a while. */
export const PATIENT_HTTP = {
  headersTimeoutMs: patienceMs,
  bodyIdleTimeoutMs: patienceMs,
  requestTimeoutMs: patienceMs,
};
