import { after } from 'node:test';

/**
 * Loaded before each file of a test run. The runner waits for a file for as long as anything in it is open, and a test that
 * fails leaves much open: one such file would hold up the run for good.
 */

/** From the end of the file's tests on. Ending services and browsers takes seconds, and longer on a busy machine. */
const endTimeoutMs = 120_000;

// The runner loads this, too.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  after(() => {
    const end = (): void => {
      process.stderr.write(
        `Still open at the end of ${process.argv[1]}: ${process.getActiveResourcesInfo().join(', ')}\n`,
      );
      process.exit(1);
    };
    // Does not run where nothing else is open.
    setTimeout(end, endTimeoutMs).unref();
  });
}
