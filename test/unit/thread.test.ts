import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThread, ThreadTimeout } from '../../src/platform/thread.ts';

test('a task without end fails when its time is over, and the waiting ones run', async (t) => {
  const script = new URL('../helpers/endless-thread.ts', import.meta.url);
  const thread = createThread<string, string>(script, { heapMaxMegabytes: 64, taskTimeoutMs: 3_000 });
  t.after(() => thread.close());
  const results = await Promise.allSettled(['a', 'endless', 'b'].map((task) => thread.run(task)));
  const told = results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
  assert.deepEqual([told[0], told[2]], [['a'], ['b']]);
  assert.ok(told[1] instanceof ThreadTimeout, String(told[1]));
});
