import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { claimCrawl, releaseCrawl } from '../../src/queue/claims.ts';
import { freeWorkOfDeadWorkers } from '../../src/queue/worker.ts';
import { saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { crawled, newReport, openTestStore, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { pageWith, startTestSite } from '../helpers/test-site.ts';

/** A crawl that repeatedly kills its process must not do so forever. */

const DEAD_WORKER = 2_000_000_000;
const WORKER = DEAD_WORKER + 1;
const OTHER_WORKER = DEAD_WORKER + 2;

const store = await openTestStore();
const site = await startTestSite({ '/': pageWith('/a'), '/a': pageWith() });
beforeEach(async () => {
  await store.db.updateTable('reports').set({ crawl_pending: false }).execute();
  site.requests.length = 0;
});
after(async () => {
  await site.stop();
  await store.close();
});

async function reportThatDied(times: number): Promise<string> {
  const id = await newReport(store, `${site.origin}/`, { max_pages: 5 });
  await store.db.updateTable('reports').set({ crawl_failures: times }).where('id', '=', id).execute();
  return id;
}

async function die(id: string): Promise<void> {
  const claim = await claimCrawl(store.db, DEAD_WORKER);
  assert.equal(claim?.reportId, id);
  await freeWorkOfDeadWorkers(store.db);
}

async function crawl(id: string) {
  const crawler = await startTestCrawler(store);
  await crawled(store, id);
  await crawler.stop();
  return reportOf(store, id);
}

test('a crawl whose process died six times without progress is given up', async () => {
  const id = await newReport(store, `${site.origin}/`);
  for (let death = 1; death <= 6; death += 1) await die(id);
  const report = await crawl(id);
  assert.equal(report.status, 'failed');
  assert.match(report.crawl_error ?? '', /was interrupted 6 times/);
  assert.equal(site.requests.length, 0);
});

test('a crawl that continues after deaths ends as if there had been none', async () => {
  const id = await newReport(store, `${site.origin}/`);
  for (let death = 1; death <= 5; death += 1) await die(id);
  const { num_pages, crawl_error, crawl_failures } = await crawl(id);
  assert.deepEqual([num_pages, crawl_error, crawl_failures], [2, null, 0]);
});

test('progress between deaths restarts the count', async () => {
  const id = await reportThatDied(5);
  const claim = await claimCrawl(store.db, DEAD_WORKER);
  assert(claim !== null);
  await saveCrawlProgress(store.db, claim, { pages: [], discovered: [] });
  await freeWorkOfDeadWorkers(store.db);
  await die(id);
  assert.equal((await reportOf(store, id)).crawl_failures, 1);
});

test('an orderly stop does not count as an attempt', async () => {
  const id = await reportThatDied(2);
  for (let end = 1; end <= 10; end += 1) {
    const claim = await claimCrawl(store.db, WORKER);
    assert.equal(claim?.attempts, 3);
    await releaseCrawl(store.db, claim, false);
  }
  assert.equal((await reportOf(store, id)).crawl_failures, 2);
});

test('a process runs one suspect crawl at a time', async () => {
  const [first, second, innocent] = [await reportThatDied(3), await reportThatDied(5), await reportThatDied(0)];
  const claim = await claimCrawl(store.db, WORKER);
  assert.equal(claim?.reportId, first);
  assert.equal((await claimCrawl(store.db, WORKER))?.reportId, innocent);
  assert.equal(await claimCrawl(store.db, WORKER), null);
  assert.equal((await claimCrawl(store.db, OTHER_WORKER))?.reportId, second);
  await freeWorkOfDeadWorkers(store.db);
  const again = await claimCrawl(store.db, WORKER);
  assert.equal(again?.reportId, first);
  await saveCrawlProgress(store.db, again, { pages: [], discovered: [] });
  assert.equal(
    (await claimCrawl(store.db, WORKER))?.reportId,
    second,
    'the first one makes progress, so it is no longer suspect',
  );
});
