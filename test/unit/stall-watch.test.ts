import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { watchStalls } from '../../src/platform/stall-watch.ts';

test('a standstill of the event loop is logged and counted, with the longest', async (t) => {
  const registry = new Registry();
  const told: number[] = [];
  const watch = watchStalls(registry, { warn: ({ ms }: { ms: number }) => void told.push(ms) });
  t.after(() => watch.stop());
  for (const ms of [400, 600]) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    await delay(100);
  }
  const text = await registry.metrics();
  const numberOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  assert.equal(numberOf('sitewarden_event_loop_stalls_total'), told.length);
  assert.ok(told.length >= 2, text);
  assert.ok(numberOf('sitewarden_event_loop_stall_longest_seconds') >= 0.5, text);
  watch.stop();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  await delay(100);
  assert.equal(await registry.metrics(), text);
});
