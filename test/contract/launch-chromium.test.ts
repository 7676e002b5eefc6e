import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChromium } from '../../src/browser/chromium-process.ts';
import { unpackBundledChromium } from '../../src/browser/find-chromium.ts';
import { browserCache } from '../helpers/browser.ts';

/** The browser starts in its sandbox where the machine allows it. Each test has its own process, which finds that out. */

const run = promisify(execFile);
const HELPERS = fileURLToPath(new URL('../helpers/browser.ts', import.meta.url));
let directory: string;
let chromium: string;

before(async () => {
  const { executable } = await unpackBundledChromium(browserCache);
  chromium = executable;
  // The user of the browser can enter it.
  directory = await mkdtemp(join(dirname(dirname(executable)), 'launch-'));
  await run('chmod', ['755', directory]);
});
after(() => rm(directory, { recursive: true, force: true }));

/** Starts a browser that does something else if it is asked to use its sandbox. */
async function startWith(inSandbox: string): Promise<{ readonly result: string; readonly warnings: string }> {
  const executable = join(directory, 'chromium');
  const script = `#!/bin/sh
    case "$*" in *--version*|*--no-sandbox*) exec '${chromium}' "$@";; esac
    ${inSandbox}\n`;
  await writeFile(executable, script, { mode: 0o755 });
  const program = `
    import { testPool } from '${HELPERS}';
    const warnings = [];
    const log = new Proxy({}, { get: (_, level) => (...parts) => level === 'warn' && warnings.push(parts.at(-1)) });
    const pool = testPool({ find: { executable: '${executable}', cacheDirectory: '${browserCache}' }, log });
    const result = await pool.start().then(() => 'started', ({ message }) => message);
    await pool.stop();
    console.log(JSON.stringify({ result, warnings: warnings.join() }));`;
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '-e', program]);
  return JSON.parse(stdout);
}

it('a browser is said to have ended with what it has written since its start', async () => {
  const script = 'echo starting >&2; echo started >&4; read -r line <&3; echo "no space left" >&2; exit 7';
  const started = await startChromium({ executable: '/bin/sh', args: ['-c', script], environment: {}, user: null });
  await once(started.output, 'data');
  await turn();
  started.clearLog();
  started.input.write('\n');
  assert.equal(await started.ended, 'it ended with status 7. no space left');
});

describe('the sandbox', () => {
  it('is given up, with a warning, if the browser says that it does not work', async () => {
    // What Chromium prints when it may not call chroot.
    const { result, warnings } = await startWith(
      `echo '[FATAL:sandbox/linux/services/credentials.cc:131] Check failed: . : Operation not permitted (1)' >&2; kill -TRAP $$`,
    );
    assert.equal(result, 'started');
    assert.match(warnings, /without its sandbox.*docs\/containers\.md/);
  });

  it('is kept when the browser fails for another reason, which is reported', async () => {
    const { result, warnings } = await startWith(`echo 'no space left on device' >&2; exit 7`);
    assert.match(result, /did not start: it ended with status 7\. no space left on device/);
    assert.equal(warnings, '');
  });
});
