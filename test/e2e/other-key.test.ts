import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { keepSecret, openSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey, parseSecretKey, type SecretBox } from '../../src/platform/secret-box.ts';
import { keptSecretKey, nextSecretKey } from '../../src/platform/secret-key.ts';
import { rotateDatabaseKey, SEALED_COLUMNS, verifyDatabaseKey } from '../../src/store/backup/stored-secrets.ts';
import { type Database, type Executor, openDatabase } from '../../src/store/database.ts';
import { createCredentialStore } from '../../src/store/reports/credential-store.ts';
import { createInstallation, type Ended, type Installation } from '../helpers/command-line.ts';
import { crawled, newReport, openTestStore, startTestCrawler, type TestStore } from '../helpers/crawler.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { startTestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** A database has one key for what is stored encrypted. */

const [ours, other] = [createSecretBox(newSecretKey()), createSecretBox(newSecretKey())];
const MISMATCH = { code: 'secret_key_mismatch', message: /SITEWARDEN_SECRET_KEY.* secret\.key .* replace-key/ };

async function inNewStore(use: (store: TestStore) => Promise<void>): Promise<void> {
  const store = await openTestStore();
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

const withoutRecord = (db: Database) => db.deleteFrom('secret_key').execute();

test('the first key is recorded, also by concurrent starts, and any other is refused', () =>
  inNewStore(async ({ db }) => {
    const starts = [ours, other, ours, other].map((box) =>
      verifyDatabaseKey(db, box).then(
        () => true,
        () => false,
      ),
    );
    const [first, second, third, fourth] = await Promise.all(starts);
    assert.deepEqual([third, fourth], [first, second]);
    assert.notEqual(first, second);
    await assert.rejects(verifyDatabaseKey(db, first ? other : ours), MISMATCH);
    await verifyDatabaseKey(db, first ? ours : other);
  }));

test('a command that only reads records no key', () =>
  inNewStore(async ({ db }) => {
    await verifyDatabaseKey(db, other, false);
    await verifyDatabaseKey(db, ours);
    await assert.rejects(verifyDatabaseKey(db, other, false), MISMATCH);
  }));

test('a database without a record accepts the first key that decrypts anything in it, and no other', () =>
  inNewStore(async (store) => {
    const { db } = store;
    const refusesOther = async (what: string): Promise<void> => {
      await withoutRecord(db);
      await assert.rejects(verifyDatabaseKey(db, other), MISMATCH, what);
      await verifyDatabaseKey(db, ours);
      await assert.rejects(verifyDatabaseKey(db, other), MISMATCH, what);
    };
    const access = createCredentialStore(ours).seal({ ...NO_ACCESS, cookies: { a: 'b' } }, 'report x');
    const reportId = await newReport(store, 'http://site.test/');
    const setAccess = (siteAccess: Buffer | null) =>
      db.updateTable('reports').set({ site_access: siteAccess }).where('id', '=', reportId).execute();
    await setAccess(access);
    await refusesOther('the credentials of a report');
    await setAccess(null);

    const { hash, sealed } = keepSecret(ours, 'hook');
    await sql`INSERT INTO schedules (account_id, site_id, definition, active, hook_hash, hook_sealed)
      SELECT account_id, id, '{}', false, ${hash}, ${sealed} FROM sites`.execute(db);
    await refusesOther('the address of a deploy hook');
    await db.updateTable('schedules').set({ hook_sealed: null, site_access: access }).execute();
    await refusesOther('the credentials of a schedule');

    // Values that another key encrypted change nothing.
    await withoutRecord(db);
    await setAccess(createCredentialStore(other).seal({ ...NO_ACCESS, cookies: { a: 'b' } }, 'report x'));
    await verifyDatabaseKey(db, ours);
    await assert.rejects(verifyDatabaseKey(db, other), MISMATCH);
  }));

test('a rotation encrypts each value with the new key for the same purpose, and leaves others as they are', () =>
  inNewStore(async (store) => {
    const { db } = store;
    const { rows } = await sql<{ name: string }>`
      SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND (column_name = 'site_access' OR column_name LIKE '%sealed%') ORDER BY 1`.execute(
      db,
    );
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    assert.deepEqual(
      rows.map(({ name }) => name),
      known.sort(),
    );

    const guarded = await sql<{ name: string }>`
      SELECT tgrelid::regclass || '.' || convert_from(trim(trailing '\\000' FROM tgargs), 'UTF8') AS name FROM pg_trigger
      WHERE tgfoid = 'require_current_key'::regproc ORDER BY 1`.execute(db);
    assert.deepEqual(guarded.rows, rows);

    const third = createSecretBox(newSecretKey());
    const access = { ...NO_ACCESS, cookies: { a: 'b' } };
    const ids = await Promise.all([1, 2, 3].map((nth) => newReport(store, `http://site.test/${nth}`)));
    const boxes = [ours, ours, other];
    for (const [index, id] of ids.entries()) {
      const sealed = createCredentialStore(boxes[index] ?? ours).seal(access, `report ${id}`);
      await db.updateTable('reports').set({ site_access: sealed }).where('id', '=', id).execute();
    }
    const hook = keepSecret(ours, 'hook');
    await sql`INSERT INTO schedules (account_id, site_id, definition, active, hook_hash, hook_sealed)
      SELECT account_id, id, '{}', false, ${hook.hash}, ${hook.sealed} FROM sites LIMIT 1`.execute(db);
    await verifyDatabaseKey(db, ours);
    assert.deepEqual(await rotateDatabaseKey(db, ours, third), { rotated: 3, unreadable: 1 });
    await verifyDatabaseKey(db, third);
    await assert.rejects(verifyDatabaseKey(db, ours), MISMATCH);
    const stored = await db.selectFrom('reports').select(['id', 'site_access']).execute();
    const opened = stored.map(({ id, site_access: sealed }) => {
      const box = id === ids[2] ? other : third;
      return createCredentialStore(box).open(sealed, `report ${id}`);
    });
    assert.deepEqual(opened, [access, access, access]);
    const schedule = await db.selectFrom('schedules').select('hook_sealed').executeTakeFirstOrThrow();
    assert.equal(openSecret(third, hook.hash, schedule.hook_sealed), 'hook');
  }));

test('a process with the former key stores nothing during and after a rotation', () =>
  inNewStore(async (store) => {
    const { db } = store;
    const access = { ...NO_ACCESS, cookies: { a: 'b' } };
    const ids = await Promise.all([1, 2].map((nth) => newReport(store, `http://site.test/${nth}`)));
    await verifyDatabaseKey(db, ours);
    const storeWith = (executor: Executor, box: SecretBox, id = '') =>
      executor
        .updateTable('reports')
        .set({ site_access: createCredentialStore(box).seal(access, `report ${id}`) })
        .where('id', '=', id)
        .execute();
    // What another process has begun to store is stored before the rotation, and encrypted by it.
    const rotating = await db.transaction().execute(async (trx) => {
      await storeWith(trx, ours, ids[0]);
      const rotation = rotateDatabaseKey(db, ours, other);
      await until(async () => {
        const { rows } = await sql`SELECT FROM pg_stat_activity WHERE datname = current_database()
          AND query ILIKE 'insert into "secret_key"%' AND wait_event_type = 'Lock'`.execute(db);
        return rows.length === 1;
      });
      return { rotation };
    });
    assert.deepEqual(await rotating.rotation, { rotated: 1, unreadable: 0 });
    await assert.rejects(
      storeWith(db, ours, ids[1]),
      /encrypted with another key than the database\. Restart this process/,
    );
    await storeWith(db, other, ids[1]);
  }));

test('a crawl whose credentials cannot be decrypted fails, says why and requests nothing', () =>
  inNewStore(async (store) => {
    const site = await startTestSite({});
    const crawler = await startTestCrawler(store, undefined, { credentialStore: createCredentialStore(other) });
    const id = await newReport(store, `${site.origin}/`, { siteAccess: { ...NO_ACCESS, cookies: { a: 'b' } } });
    await crawled(store, id);
    await crawler.stop();
    await site.stop();
    const report = await store.db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    assert.equal(report.status, 'failed');
    assert.match(
      report.crawl_error === null ? '' : sentenceOf(report.crawl_error),
      /cannot be decrypted: .* Enter them again/,
    );
    assert.deepEqual(site.requests, []);
  }));

let installation: Installation;
let database: TestDatabase;
before(async () => {
  installation = createInstallation();
  database = await createTestDatabase();
});
after(async () => {
  installation.remove();
  await database.drop();
});

/** `doctor` would start an engine, and report those that do not start. */
const withoutBrowser = async () => ({ ...(await sharedValidator()), SITEWARDEN_CHROMIUM: '/nonexistent' });

test('processes with another key do not start until it replaces the previous one', async () => {
  const keys = [newSecretKey(), newSecretKey()].map((key) => key.toString('base64'));
  const engines = await withoutBrowser();
  const run = (args: readonly string[], key: number): Promise<Ended> =>
    runHere(args, {
      ...engines,
      SITEWARDEN_DATA_DIR: installation.dataDir,
      DATABASE_URL: database.connectionString,
      SITEWARDEN_SECRET_KEY: keys[key] ?? '',
      PORT: '0',
    });
  // Commands that neither store nor read credentials leave the choice to others.
  assert.equal((await run(['migrate'], 1)).status, 0);
  const { db, close } = openDatabase(database.connectionString, () => undefined);
  assert.deepEqual(await db.selectFrom('secret_key').selectAll().execute(), []);
  await close();
  assert.equal((await run(['serve'], 0)).status, 0);
  const commands = [['serve'], ['work'], ['check', 'http://127.0.0.1:9/'], ['doctor'], ['account', 'list']];
  const [serve, work, check, doctor, list] = await Promise.all(commands.map((args) => run(args, 1)));
  for (const [ended, status] of [
    [serve, 1],
    [work, 1],
    [check, 3],
  ] as const) {
    assert.deepEqual([ended?.status, ended?.stdout], [status, '']);
    assert.match(ended?.stderr ?? '', MISMATCH.message);
  }
  assert.equal(doctor?.status, 1);
  assert.match(
    doctor?.stdout ?? '',
    /^FAIL {2}secrets {3}The credentials in this database .* replace-key[\s\S]*^ok {4}disk/m,
  );
  assert.equal(list?.status, 0);

  const replaced = await run(['replace-key'], 1);
  assert.deepEqual([replaced.status, replaced.stderr], [0, '']);
  assert.match(replaced.stdout, /Restart every process .* enter the credentials/s);
  assert.equal((await run(['serve'], 1)).status, 0);
  assert.equal((await run(['work'], 0)).status, 1);
});

test('rotate-key changes the key in the data directory, or from a file to the one in the settings', async () => {
  const store = await openTestStore();
  const own = createInstallation();
  try {
    const environment = {
      ...(await withoutBrowser()),
      SITEWARDEN_DATA_DIR: own.dataDir,
      DATABASE_URL: store.connectionString,
    };
    const run = (...args: string[]): Promise<Ended> => runHere(args, environment);
    const keyFile = join(own.dataDir, 'secret.key');
    const boxIn = async (path: string) =>
      createSecretBox(parseSecretKey((await readFile(path, 'utf8')).trim()) ?? newSecretKey());
    const id = await newReport(store, 'http://site.test/');
    await run('account', 'list');
    const first = createSecretBox(await keptSecretKey(own.dataDir));
    const sealed = createCredentialStore(first).seal({ ...NO_ACCESS, cookies: { a: 'b' } }, `report ${id}`);
    await store.db.updateTable('reports').set({ site_access: sealed }).where('id', '=', id).execute();
    const rotated = await run('rotate-key');
    assert.match(
      rotated.stdout,
      /^Encrypted 1 secret with the new key\.\nThe new key is in secret\.key\. .*secret\.key\.until-/,
    );
    await verifyDatabaseKey(store.db, await boxIn(keyFile));
    await assert.rejects(verifyDatabaseKey(store.db, first), MISMATCH);

    // An earlier run ended before it changed the file.
    const interrupted = await nextSecretKey(own.dataDir);
    await rotateDatabaseKey(store.db, await boxIn(keyFile), createSecretBox(interrupted));
    assert.match(
      (await run('doctor')).stdout,
      /^FAIL {2}secrets {3}A key rotation was interrupted\. .* rotate-key again/m,
    );
    assert.match((await run('replace-key')).stderr, /^No key is lost: .* Run rotate-key again\.$/m);
    assert.match((await run('rotate-key')).stdout, /^The new key is in secret\.key\./);
    await verifyDatabaseKey(store.db, await boxIn(keyFile));

    const given = newSecretKey().toString('base64');
    const runWith = (...args: string[]): Promise<Ended> =>
      runHere(args, { ...environment, SITEWARDEN_SECRET_KEY: given });
    assert.match((await runWith('rotate-key')).stderr, /--former-key FILE/);
    assert.match(
      (await runWith('rotate-key', '--former-key', keyFile)).stdout,
      /^Encrypted 1 secret with the new key\./,
    );
    assert.match((await runWith('rotate-key')).stdout, /already uses the key/);
    await verifyDatabaseKey(store.db, createSecretBox(Buffer.from(given, 'base64')));
    const actions = await store.db.selectFrom('audit_log').select('action').execute();
    const rotations = actions.filter(({ action }) => action === 'rotate-key');
    assert.equal(rotations.length, 2, 'each that changed anything');
  } finally {
    own.remove();
    await store.close();
  }
});
