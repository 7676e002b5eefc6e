import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { DatabaseError } from 'pg';
import { isTransient, waitOut } from '../../src/platform/database-errors.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { openDatabase } from '../../src/store/database.ts';
import { quietLog } from '../helpers/browser.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { PATIENT_DATABASE } from '../helpers/patience.ts';

test('a missing Unix socket of the database counts as passing', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'sw-'));
  // The server may run as another user than the tests.
  chmodSync(directory, 0o777);
  const server = await startOwnPostgres({ unix_socket_directories: directory });
  const { username, password, port } = new URL(server.connectionString);
  const address = `postgres://${username}:${password}@/postgres?host=${directory}&port=${port}`;
  const { db, close } = openDatabase(address, () => undefined);
  t.after(async () => {
    await close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const ask = () => sql`SELECT 1`.execute(db);
  await ask();
  await server.stop();
  // The first one may meet the connection that was there.
  await assert.rejects(ask(), isTransient);
  await assert.rejects(ask(), (error) => error instanceof Error && /ENOENT/.test(error.message) && isTransient(error));
  await server.start();
  await ask();
});

test('lack of sockets and failed look-ups count as passing, rejected data does not', () => {
  const fault = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall });
  for (const code of ['EAGAIN', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])
    assert.ok(isTransient(fault(code, 'socket')), code);
  assert.ok(isTransient(fault('EAI_FAIL', 'getaddrinfo')));
  assert.equal(isTransient(fault('ENOENT', 'open')), false);
});

test('the first work that is done after the disk was full says so, once', async () => {
  const lines: string[] = [];
  const log = createLogger({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });
  let refusals = 1;
  const work = async (): Promise<void> => {
    refusals -= 1;
    if (refusals >= 0) throw Object.assign(new DatabaseError('No space left', 0, 'error'), { code: '53100' });
  };
  const { signal } = new AbortController();
  for (let times = 0; times < 2; times += 1) await waitOut(work, { signal, log, failure: 'Could not save' });
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['Could not save; will retry', 'The database is available again'],
  );
});

test('a process that was too busy to see the response of the server connects once more', async (t) => {
  const { connectionString, drop } = await createTestDatabase();
  const store = openDatabase(connectionString, () => undefined, PATIENT_DATABASE);
  // Before the timers are mocked.
  await sql`SELECT 1`.execute(store.db);
  const query = async (): Promise<void> => {
    const { db, close } = openDatabase(connectionString, () => undefined, PATIENT_DATABASE);
    await sql`SELECT 1`.execute(db).finally(close);
  };
  const join = async (): Promise<void> => await (await joinWorkers(connectionString, store.db, quietLog)).close();
  for (const [utilization, outcome] of [
    [1, 'fulfilled'],
    [0.5, 'rejected'],
  ] as const) {
    t.mock.method(performance, 'eventLoopUtilization', () => ({ idle: 0, active: 0, utilization }));
    for (const [connect, timeoutMs] of [
      [query, PATIENT_DATABASE.limits.connectTimeoutMs],
      [join, 10_000],
    ] as const) {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const connecting = Promise.allSettled([connect()]);
      await nextTurn();
      t.mock.timers.tick(timeoutMs);
      t.mock.timers.reset();
      assert.equal((await connecting)[0].status, outcome, `${connect.name} at ${utilization}`);
    }
  }
  await store.close();
  await drop();
});
