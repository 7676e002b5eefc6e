import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config.ts';
import { openFoundation } from '../../src/foundation.ts';
import { isTransient } from '../../src/platform/database-errors.ts';
import { databaseConnectionsMax } from '../../src/platform/limits.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Database, type DatabaseUse, openDatabase } from '../../src/store/database.ts';
import { startApi } from '../helpers/api.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { createTestDatabase, runSql } from '../helpers/database.ts';
import { startTestApp, WITHOUT_BROWSER } from '../helpers/start-app.ts';
import { pageWith, siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The time limits of the service's statements, locks and transactions. */

/** Longer than any other statement takes on a busy machine. */
const SLOW_STATEMENT_MS = 10_000;

/** How many statements of this database match now. */
async function countStatements(db: Database, pattern: string, state: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND query LIKE ${pattern} AND (state = ${state} OR wait_event_type = ${state})`.execute(db);
  return rows[0]?.count ?? 0;
}

test('a list that takes the database too long is cancelled, and the response says so', async (t) => {
  const api = await startApi({}, { limits: { statementTimeoutMs: SLOW_STATEMENT_MS } });
  t.after(() => api.close());
  await sql`ALTER TABLE credit_entries RENAME TO slow_entries`.execute(api.db);
  await sql`CREATE VIEW credit_entries AS SELECT e.* FROM pg_sleep(600), slow_entries e`.execute(api.db);
  const { status, headers, document } = await api.get('/api/v1/credit_entries');
  assert.equal(status, 503);
  assert.deepEqual([document.errors[0].code, headers['retry-after']], ['unavailable', '5']);
  assert.match(document.errors[0].detail, /took too long/);
  assert.equal(await countStatements(api.db, '%slow_entries%', 'active'), 0, 'nothing continues in the background');
  assert.equal((await api.get('/api/v1/reports')).status, 200);
});

test('a request that waits for a lock gets a response after the time limit', async (t) => {
  const api = await startApi({}, { limits: { lockTimeoutMs: 300 } });
  t.after(() => api.close());
  await api.db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE reports`.execute(trx);
    const { status, document } = await api.get('/api/v1/reports');
    assert.equal(status, 503);
    assert.match(document.errors[0].detail, /not available right now/);
  });
  assert.equal((await api.get('/api/v1/reports')).status, 200);
});

test('an idle transaction is ended, with its locks', async (t) => {
  const store = await openTestStore();
  const hanging = openDatabase(store.connectionString, () => undefined, {
    limits: { idleInTransactionTimeoutMs: 200 },
  });
  t.after(async () => {
    await hanging.close();
    await store.close();
  });
  const work = hanging.db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE reports`.execute(trx);
    await until(async () => (await countStatements(store.db, '%LOCK TABLE%', 'idle in transaction')) === 0);
    await sql`SELECT 1`.execute(trx);
  });
  await assert.rejects(work, isTransient);
  assert.deepEqual(await store.db.selectFrom('reports').select('id').execute(), []);
  await sql`SELECT 1`.execute(hanging.db);
});

test('requests and work have time limits, migrations have none', async (t) => {
  const { connectionString, drop } = await createTestDatabase();
  t.after(drop);
  const limitsOf = async (use: DatabaseUse) => {
    const { db, close } = openDatabase(connectionString, () => undefined, { use });
    const { rows } = await sql<Record<string, string>>`
      SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
        current_setting('idle_in_transaction_session_timeout') AS idle`.execute(db);
    await close();
    return rows[0];
  };
  assert.deepEqual(await limitsOf('requests'), { statement: '30s', lock: '10s', idle: '1min' });
  for (const use of ['work', 'background'] as const)
    assert.deepEqual(await limitsOf(use), { statement: '100s', lock: '30s', idle: '1min' });
  assert.deepEqual(await limitsOf('migration'), { statement: '0', lock: '0', idle: '0' });
});

test('migrations may take any time, and wait for the migrations of another process', async (t) => {
  const { connectionString, drop } = await createTestDatabase();
  t.after(drop);
  const { pathname } = new URL(connectionString);
  await runSql(connectionString, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  // Settings of the operator for all connections must not apply to them either.
  const limits = ['statement_timeout', 'lock_timeout'].map(
    (limit) => `ALTER DATABASE ${pathname.slice(1)} SET ${limit} = '20ms'`,
  );
  // In one connection: they apply to the next ones.
  await runSql(connectionString, limits.join('; '));
  const dataDir = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const config = loadConfig({ DATABASE_URL: connectionString, SITEWARDEN_DATA_DIR: dataDir }, false);
  const foundations = await Promise.all([1, 2].map(() => openFoundation(config, pino({ level: 'silent' }))));
  for (const { db, close } of foundations) {
    assert.equal((await db.selectFrom('accounts').select('id').execute()).length, 1);
    await close();
  }
});

test('a start that waits for a lock ends, and says that the database cannot be used', async (t) => {
  const store = await openTestStore();
  const dataDir = mkdtempSync(join(tmpdir(), 'sitewarden-test-'));
  t.after(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const config = loadConfig({ DATABASE_URL: store.connectionString, SITEWARDEN_DATA_DIR: dataDir }, false);
  await store.db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE secret_key`.execute(trx);
    const start = createApp(config, createLogger({ level: 'silent', format: 'json' }), { isLongLived: false });
    await assert.rejects(start, { code: 'database_unavailable', message: /cannot be used: .*lock timeout/ });
  });
});

test('requests get responses while all connections for work wait', async (t) => {
  const app = await startTestApp({}, {}, WITHOUT_BROWSER);
  t.after(() => app.close());
  const site = await siteWith(t, { '*': pageWith() });
  const { db } = app.app;
  // Its transaction may be idle for any time.
  const blocker = openDatabase(app.environment['DATABASE_URL'] ?? '', () => undefined, { use: 'migration' });
  t.after(() => blocker.close());
  const released = Promise.withResolvers<void>();
  // Transactions that save documents wait until then.
  const blocking = blocker.db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE documents`.execute(trx);
    await released.promise;
  });
  const attributes = { starting_url: `${site.origin}/`, rate_limit: 100 };
  const created = await Promise.all(Array.from({ length: 14 }, () => app.ask('/reports', 'POST', attributes)));
  const isExhausted = async () => (await countStatements(db, '%', 'Lock')) >= databaseConnectionsMax.work;
  // Transactions that reach the lock timeout try again, and leave a connection for a moment.
  await until(async () => {
    const wasExhausted = await isExhausted();
    const { data } = await app.ask('/reports');
    assert.equal(data.length, created.length);
    return wasExhausted && (await isExhausted());
  });
  released.resolve();
  await blocking;
  for (const { data } of created) assert.equal((await app.finished(data.id)).attributes.status, 'finished');
});
