import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { keepSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { verifyDatabaseKey } from '../../src/store/backup/stored-secrets.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createCredentialStore } from '../../src/store/reports/credential-store.ts';
import { createInstallation, type Ended, type Installation } from '../helpers/command-line.ts';
import { crawled, newReport, openTestStore, startTestCrawler, type TestStore } from '../helpers/crawler.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/database.ts';
import { runHere } from '../helpers/run-here.ts';
import { sharedValidator } from '../helpers/shared-parts.ts';
import { startTestSite } from '../helpers/test-site.ts';

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
    await setAccess(createCredentialStore(other).seal({ ...NO_ACCESS, cookies: { a: 'b' } }, 'report x'));
    await withoutRecord(db);
    await verifyDatabaseKey(db, ours);
    await assert.rejects(verifyDatabaseKey(db, other), MISMATCH);
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

test('processes with another key do not start until it replaces the previous one', { timeout: 240_000 }, async () => {
  const keys = [newSecretKey(), newSecretKey()].map((key) => key.toString('base64'));
  const validator = await sharedValidator();
  const run = (args: readonly string[], key: number): Promise<Ended> =>
    runHere(args, {
      ...validator,
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
  assert.match(doctor?.stdout ?? '', /^FAIL {2}secrets {3}The credentials in this database .* replace-key/m);
  assert.equal(list?.status, 0);

  const replaced = await run(['replace-key'], 1);
  assert.deepEqual([replaced.status, replaced.stderr], [0, '']);
  assert.match(replaced.stdout, /Restart every process .* enter the credentials/s);
  assert.equal((await run(['serve'], 1)).status, 0);
  assert.equal((await run(['work'], 0)).status, 1);
});
