import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { migrate, type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';

let database: TestDatabase;
let open: OpenDatabase;

before(async () => {
  database = await createTestDatabase();
  open = openDatabase(database.connectionString, () => undefined);
});
after(async () => {
  await open?.close();
  await database?.drop();
});

test('a process that waits for another one to migrate gives up eventually, and succeeds afterwards', async () => {
  const other = new Client({ connectionString: database.connectionString });
  await other.connect();
  try {
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await assert.rejects(migrate(open.db, 100), {
      code: 'migration_failed',
      message: 'Another process has been migrating the database for 0.1 s. Try again when it has finished.',
    });
  } finally {
    await other.end();
  }
  await migrate(open.db);
  assert.deepEqual(await migrate(open.db), []);
});

test('a migration that fails is named with the reason, and changes nothing', async () => {
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name LIMIT 1`.execute(open.db);
  const name = rows[0]?.name ?? '';
  await sql`DELETE FROM migrations WHERE name = ${name}`.execute(open.db);
  await assert.rejects(migrate(open.db), {
    code: 'migration_failed',
    message: `Migration ${name} failed: relation "accounts" already exists. The database is unchanged. docs/upgrade.md says what to do.`,
  });
  await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(open.db);
  assert.deepEqual(await migrate(open.db), []);
});
