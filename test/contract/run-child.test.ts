import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { until } from '../helpers/until.ts';

const RUN_CHILD = join(import.meta.dirname, '../../scripts/run-child.mjs');
const isAlive = (pid: number): boolean => identifyProcess(pid) !== null;

/** Runs a program in place below a shell that ends once the program is there. @returns the pid of the program in front */
async function leaveBehind(environment: Readonly<Record<string, string>>): Promise<number> {
  const stay = `require('node:fs').mkdirSync(process.env.STARTED); process.on('disconnect', process.exit); setInterval(() => {}, 1e6)`;
  const program = `import(${JSON.stringify(RUN_CHILD)}).then(({ runInPlace }) =>
    runInPlace(process.execPath, ['-e', ${JSON.stringify(stay)}]))`;
  const { npm_lifecycle_event: _, ...bare } = process.env;
  const started = join(tmpdir(), randomUUID());
  const env = { ...bare, ...environment, NODE: process.execPath, PROGRAM: program, STARTED: started };
  const shell =
    '"$NODE" -e "$PROGRAM" >/dev/null 2>&1 & echo $!; until rmdir "$STARTED" 2>/dev/null; do sleep 0.1; done';
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', shell], { env, timeout: 180_000 });
  return Number(stdout);
}

test('a program that npm started ends with it, and one left in the background outlives the shell that started it', async (t) => {
  const [background = 0, ofNpm = 0] = await Promise.all([
    leaveBehind({}),
    leaveBehind({ npm_lifecycle_event: 'start' }),
  ]);
  t.after(() => process.kill(background, 'SIGKILL'));
  await until(() => !isAlive(ofNpm));
  assert.ok(isAlive(background));
});
