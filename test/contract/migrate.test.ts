import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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

test('accounts whose addresses have become equal are named, and the migration succeeds without them', async () => {
  const name = '0085_email_addresses.sql';
  // Where the locale is Turkish, the index of the version before took both addresses.
  await sql.raw('DROP INDEX accounts_email; CREATE INDEX accounts_email ON accounts (email)').execute(open.db);
  await sql`DELETE FROM migrations WHERE name = ${name}`.execute(open.db);
  const ids = [];
  for (const email of ['INFO@example.com', 'info@example.com', 'other@example.com']) {
    ids.push(await open.db.insertInto('accounts').values({ email }).returning('id').executeTakeFirstOrThrow());
  }
  await assert.rejects(migrate(open.db), {
    code: 'migration_failed',
    message: `Migration ${name} failed: could not create unique index "accounts_email". Key (lower(email COLLATE "C"))=(info@example.com) is duplicated. The database is unchanged. docs/upgrade.md says what to do.`,
  });
  const documentation = readFileSync(new URL('../../docs/upgrade.md', import.meta.url), 'utf8');
  const [, query = ''] = /```sql\n(SELECT lower\(email[^`]*)```/.exec(documentation) ?? [];
  const { rows } = await sql.raw<{ ids: string[] }>(query).execute(open.db);
  assert.deepEqual(rows, [
    {
      address: 'info@example.com',
      emails: ['INFO@example.com', 'info@example.com'],
      ids: ids.slice(0, 2).map(({ id }) => id),
    },
  ]);
  await open.db
    .updateTable('accounts')
    .set({ email: 'information@example.com' })
    .where('id', '=', ids[0]?.id ?? '')
    .execute();
  assert.deepEqual(await migrate(open.db), [name]);
});
