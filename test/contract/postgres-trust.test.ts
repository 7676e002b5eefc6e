import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { stopPostgres } from '../../src/platform/postgres-server.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from '../../src/platform/process-identity.ts';

// What the database's user writes into its directory must not lead root astray.

const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
let parent: string;
let directory: string;

before(() => {
  parent = mkdtempSync(join(tmpdir(), 'postgres-trust-'));
  // Open to the user that the server runs as where the tests run as root.
  chmodSync(parent, 0o755);
  directory = join(parent, 'postgres');
});
after(() => rmSync(parent, { recursive: true, force: true }));

const lockFile = () => join(directory, 'pgdata', 'postmaster.pid');

async function portOfAStart(): Promise<number> {
  const postgres = await startEmbeddedPostgres({ directory, log });
  await postgres.stop();
  return Number(new URL(postgres.connectionString).port);
}

/** A process of the user that runs the tests, with the database's path in its command line. */
async function withBystander(use: (bystander: ProcessIdentity) => Promise<void>): Promise<void> {
  const script = "console.log('ready'); setInterval(() => {}, 1_000)";
  const child = spawn(process.execPath, ['-e', script, join(directory, 'pgdata')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const bystander = identifyProcess(child.pid ?? 0);
    assert.ok(bystander !== null);
    await use(bystander);
    assert.ok(isRunning(bystander), 'it was not signalled');
  } finally {
    child.kill('SIGKILL');
  }
}

test('a pipe in place of the lock file keeps nobody waiting', () => {
  const dataDirectory = mkdtempSync(join(parent, 'pipe-'));
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', join(dataDirectory, 'postmaster.pid')]);
  const module = join(import.meta.dirname, '../../src/platform/postgres-status.ts');
  const script = `
    import { readPostgresStatus } from ${JSON.stringify(module)};
    const user = { uid: process.getuid?.() };
    console.log(readPostgresStatus({ dataDirectory: ${JSON.stringify(dataDirectory)}, user }));`;
  // In a process of its own: one that waited for the pipe could not end by itself.
  const args = ['--input-type=module-typescript', '-e', script];
  const { stdout, signal } = spawnSync(process.execPath, args, { timeout: 30_000, encoding: 'utf8' });
  assert.deepEqual([stdout, signal], ['null\n', null]);
});

test('a process of another user is not signalled', async () => {
  await withBystander(async (bystander) => {
    assert.equal(await stopPostgres(bystander, { uid: statSync(parent).uid + 1 }), false);
  });
});

test('as root, a lock file that names a process of root is stale', { skip: !isRoot }, async () => {
  const port = await portOfAStart();
  const { uid, gid } = statSync(directory);
  assert.notEqual(uid, 0);
  await withBystander(async ({ pid }) => {
    const pgdata = join(directory, 'pgdata');
    writeFileSync(lockFile(), `${pid}\n${pgdata}\n0\n${port}\n\n127.0.0.1\n0 0\nready   \n`, { mode: 0o600 });
    chownSync(lockFile(), uid, gid);
    assert.equal(await portOfAStart(), port);
  });
});

test("as root, the port of the last start is believed only from a file of the server's user", {
  skip: !isRoot,
}, async () => {
  const last = await portOfAStart();
  assert.equal(await portOfAStart(), last);
  const options = join(directory, 'pgdata', 'postmaster.opts');
  const claimed = await freePort();
  writeFileSync(options, `postgres "-c" "port=${claimed}"\n`);
  chmodSync(options, 0o666);
  chownSync(options, 0, 0);
  assert.notEqual(await portOfAStart(), claimed);
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  assert.ok(address !== null && typeof address === 'object');
  probe.close();
  return address.port;
}
