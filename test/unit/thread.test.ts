import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createThread, ThreadTimeout } from '../../src/platform/thread.ts';

test('a task without end fails when its time is over, and the waiting ones run', async (t) => {
  // Starting a thread takes seconds on a busy machine.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  // Neither the thread nor its limit, which is simulated, keeps the process alive.
  const alive = setInterval(() => undefined, 1_000);
  t.after(() => clearInterval(alive));
  const script = new URL('../helpers/endless-thread.ts', import.meta.url);
  const thread = createThread<string, string>(script, { heapMaxMegabytes: 64, taskTimeoutMs: 3_000 });
  t.after(() => thread.close());
  const [first, endless, last] = ['a', 'endless', 'b'].map((task) => thread.run(task));
  const refused = assert.rejects(async () => endless, ThreadTimeout);
  assert.deepEqual(await first, ['a']);
  t.mock.timers.tick(3_000);
  await refused;
  assert.deepEqual(await last, ['b']);
});
