import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { watchStalls } from '../../src/platform/stall-watch.ts';
import { until } from '../helpers/until.ts';

/** Keeps this thread busy, as a calculation does. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a stall of the event loop is logged and counted, with the longest', async (t) => {
  const registry = new Registry();
  const told: number[] = [];
  const watch = watchStalls(registry, { warn: ({ ms }: { ms: number }) => void told.push(ms) });
  t.after(() => watch.stop());
  for (const ms of [400, 600]) {
    const { length } = told;
    stall(ms);
    await until(() => told.length > length);
  }
  const text = await registry.metrics();
  const numberOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  assert.equal(numberOf('sitewarden_event_loop_stalls_total'), told.length);
  assert.ok(numberOf('sitewarden_event_loop_stall_longest_seconds') >= 0.5, text);

  watch.stop();
  const toldToOther: number[] = [];
  const other = watchStalls(new Registry(), { warn: ({ ms }: { ms: number }) => void toldToOther.push(ms) });
  t.after(() => other.stop());
  stall(400);
  await until(() => toldToOther.length > 0);
  assert.equal(await registry.metrics(), text, 'a stopped watch sees nothing');
});
