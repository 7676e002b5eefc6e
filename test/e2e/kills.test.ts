import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startKilling } from '../helpers/killing.ts';
import { TEST_SEED } from '../helpers/random.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';

/** A short run of `npm run bench:kills`, with a validator that is never killed, because Java takes seconds to start. */
const KILLS = 4;
const PAGES = 8;

test('a report whose processes are killed at random ends like an undisturbed one, and leaves no process', async () => {
  const killing = await startKilling({ pages: PAGES, seed: TEST_SEED, env: await sharedValidator() });
  try {
    for (let kills = 0; kills < KILLS; ) {
      const report = await killing.report(KILLS - kills);
      kills += report.kills.length;
      const what = `seed ${TEST_SEED}, killed ${report.kills.join(', ')}`;
      assert.equal(report.difference, null, `${what}\n${killing.log()}`);
    }
  } finally {
    assert.deepEqual(await killing.stop(), [], `processes are left, seed ${TEST_SEED}`);
  }
});
