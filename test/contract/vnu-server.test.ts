import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createExternalVnu } from '../../src/checks/html/engine.ts';
import { parseVnuOutput } from '../../src/checks/html/vnu-output.ts';
import { createVnuServer, type VnuServer, type VnuServerOptions } from '../../src/checks/html/vnu-server.ts';
import { CheckFault } from '../../src/domain/check-fault.ts';
import { AppError } from '../../src/platform/errors.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { until } from '../helpers/until.ts';

const logger = createLogger({ level: 'silent', format: 'json' });
const never = new AbortController().signal;

const small = { contentType: 'text/html', body: Buffer.from('<!DOCTYPE html><html lang="en"><title>x</title><p>x') };
/** Keeps the validator busy for a few hundred milliseconds. */
const big = {
  contentType: 'text/html',
  body: Buffer.from(`<!DOCTYPE html>${'<p><center class=a>x</p>\n'.repeat(40_000)}`),
};

/** So long that the process rests only in the test of it, which moves the clock. */
const restMs = 3_600_000;

/** The pids recorded as children right now. */
const children = new Set<number>();

function createServer(options: Partial<VnuServerOptions> = {}): VnuServer {
  const registry = { add: (pid: number) => void children.add(pid), remove: (pid: number) => void children.delete(pid) };
  return createVnuServer({ logger, children: registry, ...options });
}

function pidOf(server: VnuServer): number {
  const current = server.current();
  assert.ok(current !== null, 'no validator is running');
  return current.pid;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether all threads are stopped: after the signal, each runs until the system lets one of them stop the others. */
function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(`${tasks}/${task}/stat`, 'latin1')));
  } catch {
    return false; // A thread has just ended.
  }
}

function isTransient(error: unknown): boolean {
  assert.ok(error instanceof CheckFault, String(error));
  assert.equal(error.permanent, false);
  assert.notEqual(error.blame, 'page');
  return true;
}

/** Puts a script before Java on the path, until it is hidden or removed. */
async function fakeJava(script: string | ((directory: string) => string)) {
  const ownPath = process.env['PATH'];
  const directory = await mkdtemp(join(tmpdir(), 'vnu-server-'));
  const path = join(directory, 'java');
  await writeFile(path, `#!/bin/sh\n${typeof script === 'string' ? script : script(directory)}\n`);
  await chmod(path, 0o755);
  process.env['PATH'] = `${directory}:/bin`;
  const hide = (): void => {
    process.env['PATH'] = ownPath;
  };
  const remove = async (): Promise<void> => {
    hide();
    await rm(directory, { recursive: true, force: true });
  };
  return { directory, hide, remove };
}

/** Starting the validator takes seconds of processor time: the tests continue with the process that the previous test left. */
describe('the validator process', () => {
  const lines: { level: number; msg: string }[] = [];
  const log = createLogger({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line)) });
  // Little more than the validator requires: the fuller its memory gets, the longer Java searches for garbage.
  const server = createServer({ heapMegabytes: 192, restMs, logger: log });

  before(() => server.start());
  after(() => server.stop());

  it('is ready after its start, which may be called twice', async () => {
    const pid = pidOf(server);
    await server.start();
    assert.equal(pidOf(server), pid);
    assert.equal(await server.isReady(), true);
    assert.deepEqual([...children], [pid]);
    assert.deepEqual(parseVnuOutput(await server.validate(small, never)).messages, []);
  });

  it('listens on the loopback interface only', { skip: process.platform !== 'linux' }, async () => {
    const port = (server.current()?.port ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8')));
    const listening = tables
      .flatMap((table) => table.split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) === true && state === '0A')
      .map(([, local]) => local);
    // 127.0.0.1, or the same inside an IPv6 address, in the kernel's byte order.
    assert.ok(listening.length > 0);
    for (const local of listening) assert.match(local ?? '', /^(?:0000000000000000FFFF0000)?0100007F:/);
  });

  it('drops a check whose caller aborts, and continues', async () => {
    const pid = pidOf(server);
    await assert.rejects(server.validate(big, AbortSignal.timeout(100)), isTransient);
    assert.deepEqual(parseVnuOutput(await server.validate(small, never)).messages, []);
    assert.equal(pidOf(server), pid);
  });

  it('serves other processes as an external validator', async () => {
    const external = createExternalVnu(`http://127.0.0.1:${server.current()?.port}`);
    await external.start();
    assert.deepEqual([await external.isReady(), external.isBroken?.()], [true, false]);
    assert.deepEqual(parseVnuOutput(await external.validate(small, never)).messages, []);
    await external.stop();
  });

  it('is killed when it runs out of memory, and restarted again and again after that fails', async (t) => {
    const pid = pidOf(server);
    const fake = await fakeJava('exit 127');
    t.after(fake.remove);
    // The source is held in memory, two bytes for each character.
    const huge = { ...small, body: Buffer.alloc(110_000_000, `${'Words. '.repeat(20)}\n`) };
    await assert.rejects(server.validate(huge, never), isTransient);
    await until(() => server.isBroken());
    assert.equal(exists(pid), false);
    assert.equal(await server.isReady(), false);
    fake.hide();
    await until(() => server.isReady());
    assert.equal(server.isBroken(), false);
    const restarts = lines.filter(({ msg }) => /could not be restarted|is working again/.test(msg));
    const distinct = new Set(restarts.map(({ level, msg }) => `${level} ${msg}`));
    assert.deepEqual(
      [...distinct],
      ['40 The HTML validator could not be restarted; will retry', '30 The HTML validator is working again'],
    );
    assert.notEqual(pidOf(server), pid);
    assert.deepEqual([...children], [pidOf(server)]);
  });

  it('is killed and restarted when it hangs, and the document is not blamed; later checks wait', async (t) => {
    // The delay before the next restart is short again after it.
    await server.validate(small, never);
    const pid = pidOf(server);
    process.kill(pid, 'SIGSTOP');
    await until(() => isStopped(pid));
    // Instead of after the minute that every other check may take.
    const { timeout } = AbortSignal;
    t.mock.method(AbortSignal, 'timeout', () => timeout(1_000), { times: 1 });
    await assert.rejects(server.validate(small, never), isTransient);
    await until(() => !exists(pid));
    assert.deepEqual(parseVnuOutput(await server.validate(small, never)).messages, []);
    assert.notEqual(pidOf(server), pid);
  });

  it('stops without checks and stays ready, and the next check starts it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await server.validate(small, never);
    t.mock.timers.tick(restMs);
    t.mock.timers.reset();
    assert.equal(server.isResting(), true);
    await until(() => children.size === 0);
    assert.equal(await server.isReady(), true);
    assert.equal(server.current(), null, 'a question about its state does not start it');
    const fake = await fakeJava('exit 127');
    t.after(fake.remove);
    const documents = [server.validate(small, never), server.validate(small, never)];
    assert.equal(server.isResting(), false);
    await Promise.all(documents.map((document) => assert.rejects(document, isTransient)));
    assert.deepEqual([await server.isReady(), server.isBroken()], [false, true]);
  });

  it('leaves no process when it is stopped', async () => {
    await server.stop();
    assert.equal(children.size, 0);
    assert.deepEqual([await server.isReady(), server.isResting()], [false, false]);
    await assert.rejects(server.validate(small, never), isTransient);
    await server.stop();
  });
});

describe('the validator that cannot start', () => {
  let java: Awaited<ReturnType<typeof fakeJava>> | undefined;

  afterEach(() => java?.remove());

  async function startFailure(): Promise<AppError> {
    const error = await createServer()
      .start()
      .then(
        () => null,
        (reason: unknown) => reason,
      );
    assert.ok(error instanceof AppError, String(error));
    assert.equal(children.size, 0);
    return error;
  }

  it('says that Java is missing and how to get it', async () => {
    java = await fakeJava('exit 127');
    const error = await startFailure();
    assert.equal(error.code, 'java_missing');
    assert.match(error.message, /apt-get install/);
  });

  it('says that Java is too old', async () => {
    java = await fakeJava(`echo '    java.home = /usr
    java.specification.version = 1.8' >&2`);
    const error = await startFailure();
    assert.equal(error.code, 'java_missing');
    assert.match(error.message, /requires Java 17 or later, but .* is version 8\./);
  });

  it('shows the last output of a process that exits at once', async () => {
    java = await fakeJava(
      (home) => `case "$*" in
      *-version*) mkdir -p ${home}/bin; cp "$0" ${home}/bin/java
        echo "    java.home = ${home}" >&2; echo '    java.specification.version = 17' >&2;;
      *) echo 'Error: no room on this machine' >&2; exit 1;;
    esac`,
    );
    const error = await startFailure();
    assert.equal(error.code, 'validator_failed_to_start');
    assert.match(error.message, /ended with status 1/);
    assert.match(error.message, /no room on this machine/);
  });

  it('is started again on another port if a process has taken its port', async () => {
    java = await fakeJava(
      (home) => `for port; do :; done; case "$*" in
      *-version*) mkdir -p ${home}/bin; cp "$0" ${home}/bin/java
        echo "    java.home = ${home}" >&2; echo '    java.specification.version = 17' >&2;;
      *) echo "$port" >> ${home}/ports; echo 'Caused by: java.net.BindException: Address already in use' >&2; exit 1;;
    esac`,
    );
    assert.match((await startFailure()).message, /Address already in use/);
    const ports = (await readFile(join(java.directory, 'ports'), 'utf8')).trim().split('\n');
    assert.equal(new Set(ports).size, 3);
  });

  it('says that nothing responds at the URL of an external validator', async () => {
    const external = createExternalVnu('http://127.0.0.1:9');
    await assert.rejects(external.start(), { name: 'AppError', code: 'validator_failed_to_start' });
    assert.deepEqual([await external.isReady(), external.isBroken?.()], [false, true]);
    await external.stop();
  });
});
