import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findChromium, findContainedChromium, unpackBundledChromium } from '../../src/browser/find-chromium.ts';
import { AppError } from '../../src/platform/errors.ts';
import { browserCache, quietLog } from '../helpers/browser.ts';
import { until } from '../helpers/until.ts';

/** The browser is found or unpacked in any state of the folder, even by several processes at the same time. */

const run = promisify(execFile);
const FIND = fileURLToPath(new URL('../../src/browser/find-chromium.ts', import.meta.url));
let directory: string;

function findInProcess(cacheDirectory: string): Promise<{ stdout: string }> {
  const options = JSON.stringify({ executable: null, cacheDirectory, searchMachine: false });
  const script = `import { findChromium } from ${JSON.stringify(FIND)};
    console.log((await findChromium(${options})).version);`;
  return run(process.execPath, ['--input-type=module-typescript', '-e', script]);
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sitewarden-find-'));
});

after(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('the bundled browser', () => {
  it('is unpacked once by processes that start at the same time, after unpacking was killed', async () => {
    const cache = join(directory, 'cache');
    const options = { executable: null, cacheDirectory: cache, searchMachine: false };
    const script = `import { findChromium } from ${JSON.stringify(FIND)}; await findChromium(${JSON.stringify(options)});`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const halfUnpacked = async (): Promise<string[]> =>
      (await readdir(cache).catch(() => [])).filter((name) => name.endsWith('.tmp'));
    // A busy machine may unpack everything between two looks.
    let isEnded = false;
    void ended.then(() => {
      isEnded = true;
    });
    await until(async () => isEnded || (await halfUnpacked()).length > 0, { pollMs: 5 });
    child.kill('SIGKILL');
    const status = await ended;
    const left = await halfUnpacked();
    assert.ok(left.length > 0 || status === 0, `unpacking ended with ${status}`);

    for (const { stdout } of await Promise.all([findInProcess(cache), findInProcess(cache)])) {
      assert.match(stdout, /^Chromium \d+/);
    }
    assert.deepEqual(
      (await readdir(cache)).filter((name) => !/^chromium-[\d.]+$/.test(name)),
      left,
      'no other half-unpacked folder is left',
    );
  });

  it('is unpacked again when it is damaged', async () => {
    // The earlier test has unpacked it.
    const cache = join(directory, 'cache');
    const { executable } = await unpackBundledChromium(cache);
    await truncate(executable, 1_000);
    const found = await findChromium({ executable: null, cacheDirectory: cache, searchMachine: false });
    assert.match(found.version, /^Chromium/);
  });

  it('starts without the machine\u2019s NSS libraries, with its own', async () => {
    const { executable, libraries } = await unpackBundledChromium(browserCache);
    const { stdout } = await run('ldd', [executable], { env: { LD_LIBRARY_PATH: libraries } });
    assert.match(stdout, new RegExp(`libnss3\\.so => ${libraries}/libnss3\\.so`));
    assert.doesNotMatch(stdout, /not found/);
    await run(executable, ['--version'], { env: { LD_LIBRARY_PATH: libraries } });
  });

  it('names the remedy when it cannot be unpacked', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    const finding = findChromium({ executable: null, cacheDirectory: join(file, 'cache'), searchMachine: false });
    await assert.rejects(finding, (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'browser_missing');
      assert.match(error.message, /SITEWARDEN_CHROMIUM/);
      return true;
    });
  });
});

describe('the configured browser', () => {
  it('is used', async () => {
    const { executable } = await unpackBundledChromium(browserCache);
    const other = join(directory, 'my-chromium');
    await cp(executable, other);
    for (const named of [other, relative(process.cwd(), other)]) {
      assert.equal((await findChromium({ executable: named, cacheDirectory: browserCache })).executable, other);
    }
  });

  it('does not run as root once another user has run it', { skip: process.getuid?.() !== 0 }, async () => {
    await chmod(directory, 0o755);
    const executable = join(directory, 'for-root');
    await writeFile(executable, '#!/bin/sh\n[ "$(id -u)" = 0 ] && echo Chromium 1', { mode: 0o755 });
    const find = { executable, cacheDirectory: browserCache };
    const options = { find, profilesDirectory: join(directory, 'profiles'), log: quietLog };
    await assert.rejects(findContainedChromium({ ...options, mayRunAsRoot: false }), { code: 'browser_missing' });
    assert.equal((await findContainedChromium({ ...options, mayRunAsRoot: true })).user, null);
  });

  it('must start: no other is used instead', async () => {
    for (const executable of ['/nowhere/chromium', '/bin/false']) {
      await assert.rejects(findChromium({ executable, cacheDirectory: browserCache }), { code: 'browser_missing' });
    }
  });
});
