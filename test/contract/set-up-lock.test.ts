import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

/** The lock of the set-up, which a folder may contain because it was copied, or because a set-up was killed. */

const folder = mkdtempSync(join(tmpdir(), 'set-up-lock-'));
after(() => rmSync(folder, { recursive: true }));
const lock = join(folder, '.lock');
const SET_UP = new URL('../../scripts/set-up.mjs', import.meta.url).href;

/** Starts a process that holds the lock until its input ends. */
function holder() {
  const code = `import { holding } from ${JSON.stringify(SET_UP)};
    import { readFileSync } from 'node:fs';
    holding(${JSON.stringify(lock)}, () => { process.stdout.write('held'); readFileSync(0); });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'pipe' });
}

async function runs(): Promise<void> {
  const child = holder();
  child.stdin.end();
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
  assert.ok(!existsSync(lock));
}

test('a lock of a process that does not run, was copied, or belongs to another process is taken over', async () => {
  for (const left of [
    '999999999\n1\n',
    `${process.pid}\n1\n${lock}`,
    `${process.pid}\n\n/elsewhere/.lock`,
    `${process.pid}`,
  ]) {
    writeFileSync(lock, left);
    await runs();
  }
  writeFileSync(lock, '');
  utimesSync(lock, 1, 1);
  await runs();
});

test('waiting for another set-up names the lock and its process', async () => {
  const first = holder();
  await once(first.stdout, 'data');
  const second = holder();
  const [words] = await once(second.stderr, 'data');
  assert.match(String(words), new RegExp(`process ${first.pid}, which holds ${lock}`));
  first.stdin.end();
  second.stdin.end();
  assert.deepEqual(await once(second, 'exit'), [0, null]);
});
