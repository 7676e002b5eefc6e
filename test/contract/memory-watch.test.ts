import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { createMemoryWatch } from '../../src/browser/memory-watch.ts';
import { quietLog } from '../helpers/browser.ts';
import { until } from '../helpers/until.ts';

/** A process in its own group that allocates 600 MB on any input, as a page might. */
const GREEDY = `process.stdin.on('data', () => { all = Buffer.alloc(600e6, 1) }); setInterval(() => 0, 1000)`;
const LIMITS = { memoryBytes: 200_000_000, memoryHardBytes: 400_000_000 };
/** The first thread, and the threads that replace it until the next browser starts. */
const THREADS_MAX = 6;

function startGreedy(): { readonly child: ChildProcess; readonly pid: number } {
  const child = spawn(process.execPath, ['-e', GREEDY], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  assert.ok(child.pid !== undefined);
  return { child, pid: child.pid };
}

async function endOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit');
  child.stdin?.write('now');
  const [, signal] = await ended;
  return signal;
}

test('a memory watch whose thread ended continues for its browsers and later ones', async (t) => {
  const threads: Worker[] = [];
  const seeThread = (thread: Worker): void => void threads.push(thread);
  process.on('worker', seeThread);
  // The test runner preloads a module relative to this directory, which the thread could not find.
  const here = process.cwd();
  process.chdir(tmpdir());
  const watch = createMemoryWatch(LIMITS, quietLog);
  const [first, second] = [startGreedy(), startGreedy()];
  t.after(async () => {
    process.off('worker', seeThread);
    process.chdir(here);
    for (const { child } of [first, second]) child.kill('SIGKILL');
    await watch.stop();
  });
  const memory = watch.watch(first.pid);
  await until(() => memory.bytes() > 0);
  // It cannot read such a request, and ends with an error.
  threads[0]?.postMessage(null);
  await until(() => threads.length === 2);
  assert.equal(await endOf(first.child), 'SIGKILL');
  assert.equal(memory.killedForMemory(), 'browser');
  memory.end();

  // A thread that always exits is not replaced forever, but the next browser is watched.
  for (let ended = 1; ended < THREADS_MAX; ended += 1) {
    await threads[ended]?.terminate();
    if (ended + 1 < THREADS_MAX) await until(() => threads.length === ended + 2);
  }
  const last = watch.watch(second.pid);
  await until(() => last.bytes() > 0);
  assert.equal(threads.length, THREADS_MAX + 1);
  assert.equal(await endOf(second.child), 'SIGKILL');
  assert.equal(last.killedForMemory(), 'browser');
});
