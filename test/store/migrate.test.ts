import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { type OpenDatabase, openDatabase } from '../../src/store/database.ts';
import { migrate, requireMigrated } from '../../src/store/migrate.ts';
import { migrationNames, requiredBy } from '../../src/store/migration-files.ts';
import { catalogOf } from '../helpers/catalog.ts';
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
  const { rows } = await other.query(
    'DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations) RETURNING name',
  );
  try {
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await assert.rejects(migrate(open.db, { times: { othersMs: 100 } }), {
      code: 'migration_failed',
      message: 'Another process has been migrating the database for 0.1 s. Try again when it has finished.',
    });
    await other.query('INSERT INTO migrations (name) VALUES ($1)', [rows[0].name]);
  } finally {
    await other.end();
  }
  assert.deepEqual(await migrate(open.db), []);
});

test('a migration that fails is named with the reason, and changes nothing', async () => {
  const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name LIMIT 1`.execute(open.db);
  const name = rows[0]?.name ?? '';
  await sql`DELETE FROM migrations WHERE name = ${name}`.execute(open.db);
  await assert.rejects(migrate(open.db), {
    code: 'migration_failed',
    message: `Migration ${name} failed: relation "accounts" already exists. It changed nothing. docs/upgrade.md says what to do.`,
  });
  await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(open.db);
  assert.deepEqual(await migrate(open.db), []);
});

describe('the schema of a newer version', () => {
  const applied = async (name: string, requires: string | null): Promise<void> => {
    await sql`DELETE FROM migrations WHERE name > '9'`.execute(open.db);
    await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(open.db);
    await sql`UPDATE installation SET schema_requires = ${requires}`.execute(open.db);
  };
  after(() => applied('9', null).then(() => sql`DELETE FROM migrations WHERE name = '9'`.execute(open.db)));

  test('is left as it is if it works with this version, and refused otherwise', async () => {
    await applied('9998_added.sql', (await migrationNames()).at(-1) ?? '');
    assert.deepEqual(await migrate(open.db), []);
    await requireMigrated(open.db);
    const refusal = {
      code: 'migration_failed',
      message: /^The database was created by a newer version \(9999_dropped\.sql\)/,
    };
    for (const requires of ['9998_added.sql', null]) {
      await applied('9999_dropped.sql', requires);
      await assert.rejects(migrate(open.db), refusal);
    }
  });

  test('works with the release before it, from whose last migration on', () => {
    const releases = { '0.1.0': '0041_a.sql', '0.2.0': '0050_b.sql' };
    const required = ['0041_a.sql', '0042_c.sql', '0050_b.sql', '0051_d.sql'].map((name) => requiredBy(name, releases));
    assert.deepEqual(required, [null, '0041_a.sql', '0041_a.sql', '0050_b.sql']);
  });
});

describe('a migration of a database in use', () => {
  const name = '0044_schema_requires.sql';
  const forget = async (): Promise<void> => {
    await sql`DELETE FROM migrations WHERE name = ${name}`.execute(open.db);
    await sql`ALTER TABLE installation DROP COLUMN schema_requires`.execute(open.db);
  };

  test('is repeated while others use its tables, and says so if it takes too long', async () => {
    await forget();
    await assert.rejects(requireMigrated(open.db), {
      code: 'migration_failed',
      message:
        /^The database is missing 1 migration of this version, starting with 0044_schema_requires\.sql\. Run the command migrate/,
    });
    const other = new Client({ connectionString: database.connectionString });
    await other.connect();
    const repeated: string[] = [];
    try {
      await other.query('BEGIN; SELECT FROM installation');
      const times = { lockMs: 10, pauseMs: 10 };
      await assert.rejects(migrate(open.db, { times: { ...times, locksMs: 0 } }), {
        message: `Migration ${name} could not lock its tables for 0 s, because others use them, such as a backup. It changed nothing. Run migrate again when the tables are no longer in use.`,
      });
      const onLocked = (locked: string): void => {
        repeated.push(locked);
        void other.query('COMMIT');
      };
      assert.deepEqual(await migrate(open.db, { times, onLocked }), [name]);
    } finally {
      await other.end();
    }
    assert.ok(repeated.length > 0);
  });
});

describe('a database of an unreleased version', () => {
  let old: TestDatabase;
  let opened: OpenDatabase;
  let released: string[];
  const applied = async (): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(opened.db);
    return rows.map(({ name }) => name);
  };

  before(async () => {
    const files = await readdir(new URL('../../migrations/', import.meta.url));
    released = files.filter((name) => name.endsWith('.sql')).sort();
    old = await createTestDatabase();
    opened = openDatabase(old.connectionString, () => undefined);
    await sql`DROP SCHEMA public CASCADE`.execute(opened.db);
    await sql`CREATE SCHEMA public`.execute(opened.db);
    const fixture = new URL('../fixtures/unreleased-schema.sql.gz', import.meta.url);
    await sql.raw(gunzipSync(await readFile(fixture)).toString()).execute(opened.db);
  });
  after(async () => {
    await opened?.close();
    await old?.drop();
  });

  test('is refused if it is older than the last ones, and stays as it is', async () => {
    const names = await applied();
    const last = names.at(-1) ?? '';
    await sql`DELETE FROM migrations WHERE name = ${last}`.execute(opened.db);
    await assert.rejects(migrate(opened.db), {
      code: 'migration_failed',
      message:
        `The database was created by an unreleased version before 0.1.0 (${names.at(-2)}), which cannot be upgraded. ` +
        'Use a new SITEWARDEN_DATA_DIR, or an empty DATABASE_URL.',
    });
    await sql`INSERT INTO migrations (name) VALUES (${last})`.execute(opened.db);
    assert.deepEqual(await applied(), names);
  });

  test('has the schema of a new database once it is adopted, and its rows', async () => {
    await sql`INSERT INTO accounts (email, name) VALUES ('kept@example.com', 'Kept')`.execute(opened.db);
    assert.deepEqual(await migrate(opened.db), released.slice(1));
    assert.deepEqual(await applied(), released);
    await migrate(open.db);
    assert.deepEqual(await catalogOf(opened.db), await catalogOf(open.db));
    const { rows } = await sql<{ email: string }>`SELECT email FROM accounts`.execute(opened.db);
    assert.deepEqual(rows, [{ email: 'kept@example.com' }]);
  });

  test('is adopted as it is if it has the last migration', async () => {
    const schema = await readFile(new URL('../../migrations/0001_schema.sql', import.meta.url), 'utf8');
    await sql`DROP SCHEMA public CASCADE`.execute(opened.db);
    await sql`CREATE SCHEMA public`.execute(opened.db);
    await sql.raw(schema).execute(opened.db);
    await sql`CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`.execute(
      opened.db,
    );
    await sql`INSERT INTO migrations (name) VALUES ('0001_foundation.sql'), ('0191_site_keys.sql')`.execute(opened.db);
    assert.deepEqual(await migrate(opened.db), released.slice(1));
    assert.deepEqual(await applied(), released);
    assert.deepEqual(await catalogOf(opened.db), await catalogOf(open.db));
  });
});
