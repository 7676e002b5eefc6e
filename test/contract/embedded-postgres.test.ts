import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { AppError } from '../../src/platform/errors.ts';
import { databaseLogMaxBytes } from '../../src/platform/limits.ts';
import { identifyProcess } from '../../src/platform/process-identity.ts';
import { until } from '../helpers/until.ts';

// The tests share a database, since creating one takes the most time; each starts without a running server.
const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
let parent: string;
let directory: string;
/** Of another database. */
let fresh: string;
let opened: EmbeddedPostgres[] = [];

before(() => {
  parent = mkdtempSync(join(tmpdir(), 'embedded-postgres-'));
  // If the tests run as root, the server runs as another user, who must be able to enter the folder.
  chmodSync(parent, 0o755);
  directory = join(parent, 'postgres');
  fresh = join(parent, 'fresh', 'postgres');
});

afterEach(async () => {
  for (const postgres of opened) await postgres.stop();
  opened = [];
  assert.equal(serverPid(), null, 'the last one to leave stops the server');
});

after(() => rmSync(parent, { recursive: true, force: true }));

async function start(): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ directory, log });
  opened.push(postgres);
  return postgres;
}

const lockFile = () => join(directory, 'pgdata', 'postmaster.pid');

function serverPid(): number | null {
  if (!existsSync(lockFile())) return null;
  const pid = Number.parseInt(readFileSync(lockFile(), 'utf8'), 10);
  return identifyProcess(pid) === null ? null : pid;
}

async function query(postgres: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  try {
    const result = await client.query<Record<string, unknown>>(sql);
    return result.rows;
  } finally {
    await client.end();
  }
}

/** Another process, which starts or joins the server, reports it, and is then killed by the caller. */
async function startElsewhere(): Promise<{ kill(): Promise<void> }> {
  const module = join(import.meta.dirname, '../../src/platform/embedded-postgres.ts');
  const script = `
    import { pino } from 'pino';
    import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)}, log: pino({ level: 'silent' }) });
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await once(child.stdout, 'data');
  assert.equal(String(output).trim(), 'ready');
  return {
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('the first start creates the database, and removes what a killed first start left', async () => {
  // As left by a process killed in the middle of it; no process has pid 0.
  mkdirSync(join(parent, 'postgres.new-0-abandoned', 'pgdata'), { recursive: true });
  writeFileSync(join(parent, 'postgres.new-0-abandoned', 'pgdata', 'PG_VERSION'), '18\n');

  const postgres = await start();
  assert.deepEqual(readdirSync(parent), ['postgres']);
  assert.match(postgres.connectionString, /^postgres:\/\/sitewarden:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/);
  const [settings] = await query(
    postgres,
    `SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding,
            current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('listen_addresses') AS addresses, lower('ÄΩ') AS lower,
            (SELECT string_agg(c, '' ORDER BY c) FROM unnest(ARRAY['b', 'B', 'a', 'ä']) AS c) AS sorted`,
  );
  assert.deepEqual(settings, {
    major: 18,
    encoding: 'UTF8',
    fsync: 'on',
    synchronous_commit: 'on',
    addresses: '127.0.0.1',
    lower: 'äω',
    sorted: 'Babä',
  });
  await query(postgres, 'CREATE TABLE kept (value int)');
});

test('no one connects without the password', async () => {
  const postgres = await start();
  const url = new URL(postgres.connectionString);
  url.password = 'guessed';
  const client = new Client({ connectionString: url.href });
  await assert.rejects(client.connect(), { code: '28P01' });
});

test('a second start finds the data again', async () => {
  const postgres = await start();
  await query(postgres, 'INSERT INTO kept VALUES (1)');
  await postgres.stop();
  await postgres.stop();
  assert.deepEqual(await query(await start(), 'SELECT value FROM kept'), [{ value: 1 }]);
});

test('a running server is joined, and stopped by the last process', async () => {
  const first = await start();
  const pid = serverPid();
  const second = await start();
  assert.equal(second.connectionString, first.connectionString);
  await first.stop();
  assert.equal(serverPid(), pid);
  assert.equal((await query(second, 'SELECT 1 AS one')).length, 1);
  await second.stop();
  assert.equal(serverPid(), null);
});

test('only the process that starts the server learns that no other process uses it', async () => {
  const learned: string[] = [];
  for (const name of ['first', 'second']) {
    opened.push(await startEmbeddedPostgres({ directory, log, onFirst: () => learned.push(name) }));
  }
  assert.deepEqual([...new Set(learned)], ['first']);
});

test('a server with a foreign client keeps running', async () => {
  const postgres = await start();
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  await postgres.stop();
  assert.equal((await client.query('SELECT 1')).rowCount, 1);
  await client.end();
  await start();
});

test('a server stops after the last clients, which may take a moment to leave', async () => {
  const postgres = await start();
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  const stopped = postgres.stop();
  await delay(1_500);
  await client.end();
  await stopped;
  assert.equal(serverPid(), null);
});

test('a server used by another process keeps running, also when that is killed, and is joined and later stopped', async () => {
  const other = await startElsewhere();
  const pid = serverPid();
  assert.notEqual(pid, null);
  await (await start()).stop();
  assert.equal(serverPid(), pid);
  await other.kill();
  assert.equal(serverPid(), pid, 'the server outlives its owner');
  await start();
  assert.equal(serverPid(), pid);
});

test('a killed server is restarted with everything that was committed', async () => {
  const postgres = await start();
  await query(postgres, 'INSERT INTO kept VALUES (2)');
  const pid = serverPid();
  assert.ok(pid);
  process.kill(pid, 'SIGKILL');
  // Its other user may have started it again before this one looks.
  await until(() => serverPid() !== pid);
  const again = await start();
  assert.deepEqual(await query(again, 'SELECT value FROM kept ORDER BY 1'), [{ value: 1 }, { value: 2 }]);
});

test('a lock file with the pid of another process does no harm', async () => {
  const other = await startElsewhere();
  await other.kill();
  const pid = serverPid();
  assert.ok(pid);
  process.kill(pid, 'SIGKILL');
  await until(() => serverPid() === null);
  // This process stands in for a process that reuses the dead server's pid.
  writeFileSync(lockFile(), readFileSync(lockFile(), 'utf8').replace(/^\d+/, String(process.pid)));
  assert.deepEqual(await query(await start(), 'SELECT count(*)::int AS n FROM kept'), [{ n: 2 }]);
});

test('a server that is killed in use is restarted at the same address', async () => {
  const users = [await start(), await start()] as const;
  const pid = serverPid();
  assert.ok(pid);
  process.kill(pid, 'SIGKILL');
  await until(() => ![null, pid].includes(serverPid()));
  for (const postgres of users) {
    await until(() => query(postgres, 'SELECT 1').then(Boolean, () => false));
  }
});

test('a server that is killed while it restarts is restarted once more', async () => {
  const lost: unknown[] = [];
  const postgres = await startEmbeddedPostgres({ directory, log, onLost: (error) => lost.push(error) });
  opened.push(postgres);
  for (let kills = 0, last: number | null = null; kills < 2; kills += 1) {
    const isAnother = (): boolean => ![null, last].includes(serverPid());
    await until(isAnother, { pollMs: 1 });
    last = serverPid();
    if (last !== null) process.kill(last, 'SIGKILL');
  }
  await until(() => query(postgres, 'SELECT 1').then(Boolean, () => false));
  assert.deepEqual(lost, []);
});

test('if another program has taken the address, the processes are notified', async () => {
  const { promise: lost, resolve: onLost } = Promise.withResolvers<Error>();
  const postgres = await startEmbeddedPostgres({ directory, log, onLost });
  opened.push(postgres);
  const pid = serverPid();
  assert.ok(pid);
  // Recorded at the start; a taken address has the same effect.
  const optionsFile = join(directory, 'pgdata', 'postmaster.opts');
  writeFileSync(optionsFile, readFileSync(optionsFile, 'utf8').replace(/"port=\d+"/, '"port=none"'));
  process.kill(pid, 'SIGKILL');
  assert.match(String(await lost), /database stopped and cannot be restarted: another program uses its port/);
});

test('processes that start at the same time share one server', async () => {
  const [first, ...others] = await Promise.all([
    start(),
    start(),
    startElsewhere().then((other) => other.kill()),
    start(),
  ]);
  assert.ok(first);
  const strings = others.flatMap((other) => (other ? [other.connectionString] : []));
  assert.deepEqual(strings, [first.connectionString, first.connectionString]);
});

test('processes that start at the same time create one database', async () => {
  const both = await Promise.all([1, 2].map(() => startEmbeddedPostgres({ directory: fresh, log })));
  assert.equal(both[0]?.connectionString, both[1]?.connectionString);
  assert.deepEqual(readdirSync(join(parent, 'fresh')), ['postgres']);
  await Promise.all(both.map((postgres) => postgres.stop()));
  assert.equal(existsSync(join(fresh, 'pgdata', 'postmaster.pid')), false);
});

test('a server that does not start is reported with its log and a remedy', async () => {
  const settings = { shared_buffers: 'plenty' };
  await assert.rejects(startEmbeddedPostgres({ directory, log, settings }), {
    code: 'database_failed_to_start',
    message: /invalid value for parameter "shared_buffers": "plenty".*DATABASE_URL/s,
  });
});

test('a folder with other content is reported with a remedy', async () => {
  const taken = join(parent, 'taken');
  mkdirSync(taken);
  writeFileSync(join(taken, 'thesis.txt'), 'do not touch');
  const { uid } = statSync(join(taken, 'thesis.txt'));
  await assert.rejects(startEmbeddedPostgres({ directory: taken, log }), {
    code: 'data_directory_unusable',
    message: /SITEWARDEN_DATA_DIR/,
  });
  assert.deepEqual(readdirSync(taken), ['thesis.txt']);
  assert.equal(statSync(join(taken, 'thesis.txt')).uid, uid);
});

test("as root, nothing is opened through a symbolic link of the data's owner", {
  skip: !isRoot,
}, async () => {
  const { uid } = statSync(fresh);
  assert.notEqual(uid, 0);
  const victim = join(parent, 'victim');
  for (const name of ['server.log', 'password']) {
    const path = join(fresh, name);
    const kept = readFileSync(path);
    writeFileSync(victim, 'no one else may read or change this', { mode: 0o600 });
    rmSync(path);
    symlinkSync(victim, path);
    lchownSync(path, uid, uid);
    await assert.rejects(startEmbeddedPostgres({ directory: fresh, log }), (error) => {
      assert.ok(error instanceof AppError && !error.message.includes('nobody else may read'));
      assert.match(error.message, new RegExp(name));
      return true;
    });
    assert.equal(readFileSync(victim, 'utf8'), 'no one else may read or change this');
    assert.equal(statSync(victim).uid, 0);
    rmSync(path);
    writeFileSync(path, kept, { mode: 0o600 });
    lchownSync(path, uid, uid);
  }
  await (await startEmbeddedPostgres({ directory: fresh, log })).stop();
});

test('as root, a closed parent folder is reported with a remedy, and no server runs with privileges', {
  skip: !isRoot,
}, async () => {
  const closed = join(parent, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  await assert.rejects(startEmbeddedPostgres({ directory: join(closed, 'postgres'), log }), {
    code: 'data_directory_unusable',
    message: /parent folder denies access.*regular user.*chmod o\+x.*SITEWARDEN_DATA_DIR.*DATABASE_URL/s,
  });
  assert.deepEqual(readdirSync(closed), []);
});

test('a log that is too large is rotated', async () => {
  const postgres = await start();
  await postgres.stop();
  const logFile = join(directory, 'server.log');
  const { uid, gid } = statSync(logFile);
  writeFileSync(logFile, 'x'.repeat(databaseLogMaxBytes + 1));
  await start();
  assert.equal(statSync(`${logFile}.old`).size, databaseLogMaxBytes + 1);
  assert.ok(statSync(logFile).size < 100_000);
  assert.deepEqual([statSync(logFile).uid, statSync(logFile).gid, statSync(logFile).mode & 0o777], [uid, gid, 0o600]);
});
