import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { openPostgresCluster, stopServer } from '../../src/platform/postgres-cluster.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from '../../src/platform/process-identity.ts';
import { openDatabase } from '../../src/store/database.ts';
import { runSql } from '../helpers/database.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { until } from '../helpers/until.ts';

// Files that the database's user writes must not mislead root.

const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
let parent: string;
let directory: string;

before(() => {
  parent = mkdtempSync(join(tmpdir(), 'postgres-trust-'));
  // If the tests run as root, the server runs as another user, who must be able to enter the folder.
  chmodSync(parent, 0o755);
  directory = join(parent, 'postgres');
});
after(() => rmSync(parent, { recursive: true, force: true }));

async function portOfAStart(): Promise<number> {
  const postgres = await startEmbeddedPostgres({ directory, log });
  await postgres.stop();
  return Number(new URL(postgres.connectionString).port);
}

/** A process of root, with the database's path in its command line, that the lock file names. */
async function withBystander(port: number, use: (bystander: ProcessIdentity) => Promise<void>): Promise<void> {
  const script = "console.log('ready'); setInterval(() => {}, 1_000)";
  const pgdata = join(directory, 'pgdata');
  const child = spawn(process.execPath, ['-e', script, pgdata], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    const bystander = identifyProcess(child.pid ?? 0);
    assert.ok(bystander !== null);
    const { uid, gid } = statSync(directory);
    assert.notEqual(uid, 0);
    const lockFile = join(pgdata, 'postmaster.pid');
    writeFileSync(lockFile, `${child.pid}\n${pgdata}\n0\n${port}\n\n127.0.0.1\n0 0\nready   \n`, { mode: 0o600 });
    chownSync(lockFile, uid, gid);
    await use(bystander);
    assert.ok(isRunning(bystander), 'it was not signalled');
  } finally {
    child.kill('SIGKILL');
  }
}

test('as root, a lock file that names a process of root is stale', { skip: !isRoot }, async () => {
  const port = await portOfAStart();
  await withBystander(port, async () => assert.equal(await portOfAStart(), port));
});

test('as root, a process of root is not signalled', { skip: !isRoot }, async () => {
  const cluster = await openPostgresCluster(directory);
  await withBystander(await portOfAStart(), async () => void (await stopServer(cluster, 8)));
});

test('DATABASE_URL with sslmode=verify-full requires the certificate of that host', async (t) => {
  const certificate = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
  const server = await startOwnPostgres();
  t.after(() => server.close());
  const { connectionString } = server;
  const [shown] = await runSql(connectionString, 'SHOW data_directory');
  const data = String(shown?.['data_directory']);
  for (const [name, file] of [
    ['cert', 'server.crt'],
    ['key', 'server.key'],
  ] as const) {
    copyFileSync(certificate(name), join(data, file));
    chmodSync(join(data, file), 0o600);
    const { uid, gid } = statSync(data);
    chownSync(join(data, file), uid, gid);
  }
  await runSql(connectionString, 'ALTER SYSTEM SET ssl = on');
  await runSql(connectionString, 'SELECT pg_reload_conf()');

  const encryption = async (host: string, authority: string): Promise<unknown> => {
    const url = new URL(connectionString);
    url.hostname = host;
    url.search = `?sslmode=verify-full&sslrootcert=${certificate(authority)}`;
    const { db, close } = openDatabase(url.href, () => undefined);
    try {
      return (await sql`SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(db)).rows[0];
    } finally {
      await close();
    }
  };
  await until(() =>
    encryption('127.0.0.1', 'cert').then(
      () => true,
      () => false,
    ),
  );
  assert.deepEqual(await encryption('127.0.0.1', 'cert'), { version: 'TLSv1.3' });
  await assert.rejects(encryption('127.0.0.1', 'expired-cert'), /self-signed certificate|unable to verify/);
  await assert.rejects(encryption('localhost', 'cert'), /does not match certificate's altnames/);
});
