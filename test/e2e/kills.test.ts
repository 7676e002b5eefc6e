import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startKilling } from '../helpers/killing.ts';
import { TEST_SEED } from '../helpers/random.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';

/** A short run of `npm run bench:kills`, with a validator that is never killed, because Java takes seconds to start. */
const KILLS = 2;
const PAGES = 4;

test('reports whose processes are killed end like undisturbed ones, order nothing twice, and leave no process', async () => {
  const killing = await startKilling({ pages: PAGES, seed: TEST_SEED, env: await sharedValidator() });
  try {
    for (let kills = 0; kills < KILLS; ) {
      const report = await killing.report(KILLS - kills);
      kills += report.kills.length;
      const what = `seed ${TEST_SEED}, killed ${report.kills.join(', ')}`;
      assert.equal(report.difference, null, `${what}\n${killing.log()}`);
    }
    const { killed, rechecked, orders } = await killing.journeys();
    const half = rechecked.length / 2;
    assert.ok(rechecked.every(({ status, errors }) => status === 'checked' && errors > 0));
    // The journey that only looks is performed again, and the one with an order is not.
    assert.deepEqual(killed.slice(0, half), rechecked.slice(0, half));
    assert.deepEqual(
      killed.slice(half).map(({ url, kind, status, error }) => [url, kind, status, error?.code]),
      rechecked.slice(half).map(({ url, kind }) => [url, kind, 'failed', 'journey_interrupted']),
    );
    assert.deepEqual(orders, [1, 2]);
  } finally {
    assert.deepEqual(await killing.stop(), [], `processes are left, seed ${TEST_SEED}`);
  }
});
