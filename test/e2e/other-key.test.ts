import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createAccount } from '../../src/accounts/accounts.ts';
import { examineSecrets } from '../../src/commands/examine-secrets.ts';
import { createKeyWatch, giveUpUnreadable, startGivingUpUnreadable } from '../../src/crawling/give-up-unreadable.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { type KeptSecret, keepSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { claimChecks, claimCrawl, freeWorkOfDeadWorkers } from '../../src/queue/claims.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { createCredentialStore } from '../../src/store/credential-store.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { crawled, newReport, openTestStore, startTestCrawler, type TestStore } from '../helpers/crawler.ts';
import { credentialStore, keptSecret } from '../helpers/credential-store.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Processes on one database that have different keys for what signs in to sites. */

const otherVault = createCredentialStore(createSecretBox(newSecretKey()));
const siteAccess = { ...NO_ACCESS, cookies: { session: 'abc' } };
const WORKER = 1_000_000;
const REASON = /encrypted with another key. Give all processes .* the same SITEWARDEN_SECRET_KEY/;

let store: TestStore;
let site: TestSite;
/** Pages but the first answer when it opens. */
let gate = Promise.resolve();

before(async () => {
  store = await openTestStore();
  site = await startTestSite({
    '*': async (request, response) => {
      if (request.url !== '/') await gate;
      response.setHeader('content-type', 'text/html');
      response.end('<!DOCTYPE html><title>x</title><a href="/a">A</a><a href="/b">B</a>');
    },
  });
});
after(async () => {
  await site.stop();
  await store.close();
});

function reportOf(id: string) {
  return store.db.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

async function outcomesOf(id: string): Promise<string[]> {
  const rows = store.db.selectFrom('discovered_urls').select('outcome').where('report_id', '=', id).orderBy('position');
  return (await rows.execute()).map(({ outcome }) => outcome);
}

const joinWithKey = () =>
  joinWorkers(store.connectionString, store.db, credentialStore.head, pino({ level: 'silent' }));

/** What a process does in its rounds when a key is away for as long as is waited for it. */
async function giveUp(): Promise<void> {
  const reportIds = await createKeyWatch(store.db, credentialStore.head.length).reportsWaiting(0);
  while (await giveUpUnreadable(store.db, ['html', 'a11y'], reportIds));
}

test('a crawl goes on in the process that has its key, and is left alone by the others', async () => {
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const other = await startTestCrawler(store, undefined, { credentialStore: otherVault });
  const first = await startTestCrawler(store);
  const id = await newReport(store, `${site.origin}/`, { siteAccess });
  await until(() => site.requests.some(({ url }) => url === '/a'));
  await first.stop();
  opened.resolve();
  assert.equal(await claimCrawl(store.db, WORKER, otherVault.head), null);
  const second = await startTestCrawler(store);
  await crawled(store, id);
  await second.stop();
  await other.stop();
  assert.deepEqual(await outcomesOf(id), ['page', 'page', 'page']);
  assert.equal((await reportOf(id)).crawl_error, null);
  assert.ok(site.requests.every(({ headers }) => headers.cookie === 'session=abc'));
});

test('a crawl whose key is away is given up: nothing more is requested, and what waits is no page', async () => {
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  site.requests.length = 0;
  const crawler = await startTestCrawler(store);
  const [begun, fresh] = [
    await newReport(store, `${site.origin}/`, { siteAccess }),
    await newReport(store, `${site.origin}/b`, { siteAccess }),
  ];
  await until(() => site.requests.length === 4);
  await crawler.stop();
  opened.resolve();
  const log = pino({ level: 'silent' });
  const worker = await joinWorkers(store.connectionString, store.db, otherVault.head, log);
  const givingUp = startGivingUpUnreadable({ db: store.db, credentialStore: otherVault, worker, engines: [], log }, 0);
  await Promise.all([crawled(store, begun), crawled(store, fresh)]);
  await givingUp.stop();
  await worker.close();
  for (const [id, status, outcomes] of [
    [begun, 'checking', ['page', 'waiting', 'waiting']],
    [fresh, 'failed', []],
  ] as const) {
    const report = await reportOf(id);
    assert.deepEqual([report.status, report.crawl_pending, await outcomesOf(id)], [status, false, outcomes]);
    assert.match(report.crawl_error ?? '', REASON);
  }
  assert.equal(site.requests.length, 4);
});

test('checks wait for the key as long as a process has it, and cost nothing when none has', async () => {
  const { id: accountId } = await createAccount(store.db, { email: 'owner@example.com', credits: 100 });
  const crawler = await startTestCrawler(store);
  const changes = { siteAccess, accountId, checks: ['html', 'a11y'] as const };
  const id = await newReport(store, `${site.origin}/`, changes);
  await crawled(store, id);
  await crawler.stop();
  for (const kind of ['html', 'a11y'] as const) {
    const claimed = await claimChecks(store.db, kind, WORKER, 100, otherVault.head);
    assert.deepEqual(
      claimed.filter(({ reportId }) => reportId === id),
      [],
    );
  }

  const watch = createKeyWatch(store.db, credentialStore.head.length);
  const worker = await joinWithKey();
  assert.deepEqual(await watch.reportsWaiting(0), []);
  await giveUp();
  assert.equal((await claimChecks(store.db, 'a11y', WORKER, 1, credentialStore.head)).length, 1);
  await freeWorkOfDeadWorkers(store.db);
  await worker.close();
  await until(async () => (await watch.reportsWaiting(0)).includes(id));
  assert.deepEqual(await watch.reportsWaiting(3_600_000), [], 'it may come back');

  await giveUp();
  const errors = await store.db.selectFrom('checks').select('error').where('report_id', '=', id).execute();
  assert.equal(errors.length, 6);
  for (const { error } of errors) assert.match(error ?? '', REASON);
  const { credits } = await store.db
    .selectFrom('accounts')
    .select('credits')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  assert.equal(credits, 100 - 1, 'the check that was begun');
  await assertCountsAddUp(store.db, id);
});

async function newSchedule({ hash, sealed }: KeptSecret): Promise<void> {
  await sql`INSERT INTO schedules (account_id, definition, active, hook_hash, hook_sealed)
    VALUES (${store.accountId}, '{}', false, ${hash}, ${sealed})`.execute(store.db);
}

test('doctor counts what another key was taken for, and says what to do', async () => {
  const { rows } = await sql<{
    count: number;
  }>`SELECT count(*) AS count FROM reports WHERE site_access IS NOT NULL`.execute(store.db);
  const [sealed] = rows;
  assert.ok(sealed !== undefined && sealed.count > 0);
  const secretKey = newSecretKey();
  assert.equal(
    await examineSecrets(store.db, credentialStore.head, { secretKey }),
    'encrypted with SITEWARDEN_SECRET_KEY',
  );
  await assert.rejects(examineSecrets(store.db, otherVault.head, { secretKey: null }), {
    message: new RegExp(
      `^${sealed.count} reports and schedules cannot [^.]*: not encrypted with the key in the data directory\\. Set SITEWARDEN_`,
    ),
  });
  await newSchedule(keptSecret('hook'));
  assert.equal(
    await examineSecrets(store.db, credentialStore.head, { secretKey }),
    'encrypted with SITEWARDEN_SECRET_KEY',
  );
  await newSchedule(keepSecret(otherVault.box, 'other hook'));
  await assert.rejects(examineSecrets(store.db, credentialStore.head, { secretKey }), {
    message:
      /^1 addresses of deploy hooks and invitations cannot be shown: not encrypted with SITEWARDEN_SECRET_KEY\. Set/,
  });
  await assert.rejects(examineSecrets(store.db, otherVault.head, { secretKey }), {
    message: new RegExp(`^${sealed.count} reports and schedules .* and 1 addresses of deploy hooks .* create these`),
  });
});
