import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { until } from '../helpers/until.ts';

const RUN_CHILD = join(import.meta.dirname, '../../scripts/run-child.mjs');
/** Longer than it takes to notice that the parent is gone. */
const NOTICED_MS = 1_500;

const isAlive = (pid: number): boolean => identifyProcess(pid) !== null;

/** Runs a program in place below a shell that ends a second later. @returns the pid of the program in front */
async function leaveBehind(environment: Readonly<Record<string, string>>): Promise<number> {
  const program = `import(${JSON.stringify(RUN_CHILD)}).then(({ runInPlace }) =>
    runInPlace(process.execPath, ['-e', 'process.on("disconnect", process.exit); setInterval(() => {}, 1e6)']))`;
  const { npm_lifecycle_event: _, ...bare } = process.env;
  const env = { ...bare, ...environment, NODE: process.execPath, PROGRAM: program };
  const { stdout } = await promisify(execFile)(
    '/bin/sh',
    ['-c', '"$NODE" -e "$PROGRAM" >/dev/null 2>&1 & echo $!; sleep 1'],
    {
      env,
    },
  );
  return Number(stdout);
}

test('a program left in the background outlives the shell that started it', async (t) => {
  const pid = await leaveBehind({});
  t.after(() => process.kill(pid, 'SIGKILL'));
  await delay(NOTICED_MS);
  assert.ok(isAlive(pid));
});

test('a program that npm started ends with it', async () => {
  const pid = await leaveBehind({ npm_lifecycle_event: 'start' });
  await until(() => !isAlive(pid));
});
