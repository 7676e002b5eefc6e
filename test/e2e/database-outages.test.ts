import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { deleteOldReports } from '../../src/reports/retention.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { crawled, newReport, pagesOf, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { startOwnPostgres } from '../helpers/own-postgres.ts';
import { a11yErrorsOf, startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages } from '../helpers/played-report.ts';
import { pageWith, siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** A database that cannot write, or is not there, for as long as it likes: work waits for it, and none is given up. */

/** Longer than any fixed number of attempts that rest ever longer would take. */
const READ_ONLY_MS = 35_000;
/** More restarts than a check may be begun without an end. */
const RESTARTS = 6;

const store = await startOwnPostgres();
after(() => store.close());

const log = pino({ level: 'silent' });

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
  const crawler = await startTestCrawler(store);
  t.after(() => crawler.stop());
  const crawledId = await newReport(store, `${site.origin}/`);
  await until(() => site.requests.length >= 2);
  const checked: string[] = [];
  await startPlayedChecking(t, store, async ({ document }) => {
    if (checked.length === 0) await store.setReadOnly(true);
    checked.push(document.url);
  });
  await until(() => checked.length >= 4);
  gate.resolve();
  const deleting = deleteOldReports({ db: store.db, clock: () => new Date(), log, days: 1 });
  await delay(READ_ONLY_MS);
  await store.setReadOnly(false);
  assert.deepEqual(await a11yErrorsOf(store, played.reportId), [null]);
  assert.equal(checked.length, 4, 'each was checked once');
  await crawled(store, crawledId);
  const report = await reportOf(store, crawledId);
  assert.deepEqual([report.num_pages, report.crawl_error, report.crawl_failed], [4, null, false]);
  await deleting;
  const isGone = await store.db.selectFrom('reports').select('deleted_at').where('id', '=', old).executeTakeFirst();
  assert.notEqual(isGone?.deleted_at, null);
  for (const id of [played.reportId, crawledId]) await assertCountsAddUp(store.db, id);
});

test('a check and a crawl outlive restarts of the database, however many', async (t) => {
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
  const crawler = await startTestCrawler(store);
  t.after(() => crawler.stop());
  let begun = 0;
  await startPlayedChecking(t, store, async (_input, signal) => {
    begun += 1;
    await Promise.race([gate.promise, new Promise((_resolve, reject) => signal.addEventListener('abort', reject))]);
  });
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    await until(() => begun === restart && site.requests.length === restart);
    await store.stop();
    // Long enough for the process to see that it is gone, and to try in vain.
    await delay(1_500);
    await store.start();
  }
  await until(() => begun === RESTARTS + 1);
  gate.resolve();
  assert.deepEqual(await a11yErrorsOf(store, reportId), [null]);
  await crawled(store, crawledId);
  const report = await reportOf(store, crawledId);
  assert.deepEqual([report.num_pages, report.crawl_failed], [1, false]);
  assert.doesNotMatch(report.crawl_error ?? '', /broke off/);
  assert.equal((await pagesOf(store, reportId)).length, 4);
  await assertCountsAddUp(store.db, reportId);
});
