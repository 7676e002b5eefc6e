import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openSecret } from '../../src/platform/kept-secret.ts';
import { migrate, openDatabase } from '../../src/store/database.ts';
import { sealClearSecrets } from '../../src/store/stored-secrets.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { createTestDatabase } from '../helpers/database.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);
const SEALING = '0032_kept_secrets.sql';
const HOOKS = 1_203;

test('secrets that an older version stored in the clear are encrypted and cleared', async (context) => {
  const database = await createTestDatabase();
  const { db, close } = openDatabase(database.connectionString, () => undefined);
  context.after(async () => {
    await close();
    await database.drop();
  });
  await sql`DROP SCHEMA public CASCADE`.execute(db);
  await sql`CREATE SCHEMA public`.execute(db);
  await sql`CREATE TABLE migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`.execute(db);
  for (const name of (await readdir(MIGRATIONS)).sort()) {
    if (name >= SEALING) break;
    await sql.raw(await readFile(new URL(name, MIGRATIONS), 'utf8')).execute(db);
    await sql`INSERT INTO migrations (name) VALUES (${name})`.execute(db);
  }
  await sql`INSERT INTO accounts (email) VALUES ('host@example.com'), ('guest@example.com')`.execute(db);
  await sql`INSERT INTO schedules (account_id, definition, active, hook_secret)
    SELECT a.id, '{}', true, 'hook ' || n FROM accounts a, generate_series(1, ${HOOKS}) n
    WHERE email = 'host@example.com'`.execute(db);
  await sql`INSERT INTO guest_accounts (id, host_id, guest_id, accepted_at, deleted_at, invitation_secret, max_usage)
    SELECT i.id, host.id, CASE WHEN taken THEN guest.id END, CASE WHEN taken THEN now() END,
      CASE WHEN deleted THEN now() END, i.id, 5
    FROM (VALUES ('G000000001', false, false), ('G000000002', true, false), ('G000000003', false, true))
      AS i (id, taken, deleted), accounts host, accounts guest
    WHERE host.email = 'host@example.com' AND guest.email = 'guest@example.com'`.execute(db);

  assert.ok((await migrate(db)).includes(SEALING));
  await Promise.all([1, 2].map(() => sealClearSecrets(db, credentialStore.box)));
  const schedules = await db.selectFrom('schedules').selectAll().execute();
  assert.equal(schedules.length, HOOKS);
  assert.ok(schedules.every((schedule) => schedule.hook_secret === null));
  const opened = schedules.map((schedule) => openSecret(credentialStore.box, schedule.hook_hash, schedule.hook_sealed));
  assert.deepEqual(new Set(opened), new Set(Array.from({ length: HOOKS }, (_, index) => `hook ${index + 1}`)));
  const invitations = await db.selectFrom('guest_accounts').selectAll().orderBy('id').execute();
  assert.deepEqual(
    invitations.map((row) => [
      row.invitation_secret,
      openSecret(credentialStore.box, row.invitation_hash, row.invitation_sealed),
    ]),
    [
      [null, 'G000000001'],
      [null, null],
      [null, null],
    ],
  );
  assert.equal(new Set(invitations.map((row) => row.invitation_hash.toString('hex'))).size, 3);
});
