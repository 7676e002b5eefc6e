import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createCrawledHosts } from '../../src/crawling/crawled-hosts.ts';
import { deleteOldReports } from '../../src/reports/retention.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { crawled, newReport, pagesOf, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { a11yErrorsOf, startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages } from '../helpers/played-report.ts';
import { pageWith, siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** A database that is read-only or unavailable for any time: work waits for it, and none is given up. */

/** Work that is retried this often is retried without limit. */
const ATTEMPTS = 5;
/** More restarts than a check may begin without ending. */
const RESTARTS = 6;

const store = await startOwnPostgres();
after(() => store.close());

/** How often each message was logged, such as that a kind of work failed and waits for a retry. */
const failures = new Map<string, number>();
const log = pino(
  { level: 'info' },
  {
    write(line: string) {
      const { msg }: { msg: string } = JSON.parse(line);
      failures.set(msg, (failures.get(msg) ?? 0) + 1);
    },
  },
);
const timesFailed = (what: RegExp): number =>
  Math.max(0, ...Array.from(failures, ([message, times]) => (what.test(message) ? times : 0)));

test('nothing is given up or done twice while the database is read-only', async (t) => {
  const gate = Promise.withResolvers<void>();
  const site = await siteWith(t, {
    '/': pageWith('/1', '/2', '/3'),
    '*': async (_request, response) => {
      await gate.promise;
      response.setHeader('content-type', 'text/html');
      response.end(pageWith());
    },
  });
  const played = await reportWithPages(store);
  const old = await newReport(store, 'http://old.test/');
  const longAgo = { inserted_at: new Date(0), crawl_pending: false };
  await store.db.updateTable('reports').set(longAgo).where('id', '=', old).execute();
  const crawler = await startTestCrawler(store, undefined, { log });
  t.after(() => crawler.stop());
  const crawledId = await newReport(store, `${site.origin}/`);
  await until(() => site.requests.length >= 2);
  const checked: string[] = [];
  await startPlayedChecking(
    t,
    store,
    async ({ document }) => {
      if (checked.length === 0) await store.setReadOnly(true);
      checked.push(document.url);
    },
    { log },
  );
  await until(() => checked.length >= 4);
  gate.resolve();
  const deleting = deleteOldReports({ db: store.db, clock: () => new Date(), log, days: 1 });
  for (const what of [/check/, /old report/, /crawl/]) await until(() => timesFailed(what) >= ATTEMPTS);
  await store.setReadOnly(false);
  assert.deepEqual(await a11yErrorsOf(store, played.reportId), [null]);
  assert.equal(checked.length, 4, 'each was checked once');
  await until(() => failures.has('The database is available again'));
  assert.ok(failures.has('The database is read-only'));
  await crawled(store, crawledId);
  const report = await reportOf(store, crawledId);
  assert.deepEqual([report.num_pages, report.crawl_error, report.crawl_failed], [4, null, false]);
  await deleting;
  const isGone = await store.db.selectFrom('reports').select('deleted_at').where('id', '=', old).executeTakeFirst();
  assert.notEqual(isGone?.deleted_at, null);
  for (const id of [played.reportId, crawledId]) await assertCountsAddUp(store.db, id);
});

test('a check and a crawl survive any number of database restarts', async (t) => {
  const gate = Promise.withResolvers<void>();
  const site = await siteWith(t, {
    '*': async (_request, response) => {
      await gate.promise;
      response.setHeader('content-type', 'text/html');
      response.end(pageWith());
    },
  });
  const { reportId } = await reportWithPages(store);
  const crawledId = await newReport(store, `${site.origin}/`);
  const crawler = await startTestCrawler(store, undefined, { log });
  t.after(() => crawler.stop());
  let begun = 0;
  await startPlayedChecking(
    t,
    store,
    async (_input, signal) => {
      begun += 1;
      await Promise.race([gate.promise, new Promise((_resolve, reject) => signal.addEventListener('abort', reject))]);
    },
    { log },
  );
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    await until(() => begun === restart && site.requests.length === restart);
    failures.clear();
    await store.stop();
    // The process notices the loss, and retries in vain.
    await until(() => timesFailed(/./) >= 2);
    await store.start();
  }
  await until(() => begun === RESTARTS + 1);
  gate.resolve();
  assert.deepEqual(await a11yErrorsOf(store, reportId), [null]);
  await crawled(store, crawledId);
  const report = await reportOf(store, crawledId);
  assert.deepEqual([report.num_pages, report.crawl_failed], [1, false]);
  assert.doesNotMatch(report.crawl_error ?? '', /interrupted/);
  assert.equal((await pagesOf(store, reportId)).length, 4);
  await assertCountsAddUp(store.db, reportId);
});

test('a process stops although a crawl waits for the database to claim another host', async (t) => {
  const site = await siteWith(t, {
    '*': async (_request, response) => {
      await store.setReadOnly(true);
      response.writeHead(302, { location: `${site.origin.replace('127.0.0.1', 'localhost')}/` }).end();
    },
  });
  t.after(() => store.setReadOnly(false));
  failures.clear();
  const crawler = await startTestCrawler(store, undefined, { log });
  const reportId = await newReport(store, `${site.origin}/`);
  await until(() => timesFailed(/claim a host/) >= 2);
  await crawler.stop();
  const { crawl_pending, crawl_error } = await reportOf(store, reportId);
  assert.deepEqual([crawl_pending, crawl_error], [true, null]);
});

test('claims do not wait for a host to be released when the process stops', async (t) => {
  const hosts = createCrawledHosts({ db: store.db, limiters: createSharedLimiters(1_000), log });
  const crawl = { reportId: '', claimId: 0, isFirst: true, attempts: 1, workerId: 900_001, payerId: '', hostRestMs: 0 };
  const claimed = await hosts.claim(async () => ({ ...crawl, hosts: ['released.test'] }));
  await store.setReadOnly(true);
  t.after(() => store.setReadOnly(false));
  failures.clear();
  claimed?.hostUser.leave();
  await until(() => timesFailed(/release a host/) >= 2);
  const next = hosts.claim(async () => null);
  hosts.stopWaiting();
  assert.equal(await next, null);
  await hosts.close();
});
