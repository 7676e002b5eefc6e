import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createHostLimits } from '../../src/egress/host-limit/host-limits.ts';
import { createBrowserRequest, sharedLimiter, waitForTurn } from '../../src/reports/request-turn.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { createHostShares } from '../../src/store/host-shares.ts';
import { reserveRequest } from '../../src/store/request-turns.ts';
import { crawl, newReport, openTestStore, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { pageWith, siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

const RATE = 20;
const PAGES = 4;
/** What one turn takes of the report's time. */
const turnMs = 1_100 / RATE;

const store = await openTestStore();
const never = new AbortController().signal;

after(() => store.close());

/** Milliseconds of the report's time that are taken, from its creation on. */
async function takenMs(reportId: string): Promise<number> {
  const { inserted_at: from, next_request_at: until } = await reportOf(store, reportId);
  return until === null ? 0 : until.getTime() - from.getTime();
}

test('turns that are asked for together come one after another, whoever asks', async () => {
  const reportId = await newReport(store, 'http://site.test/', { rateLimit: RATE, deviceId: IPHONE_15 });
  const from = performance.now();
  const hosts = createHostLimits({
    shares: createHostShares(store.db),
    requestsPerSecond: 100,
    log: pino({ level: 'silent' }),
  });
  const check = { reportId, url: 'http://site.test/' };
  const checks = Array.from({ length: 5 }, () => createBrowserRequest({ db: store.db, hosts }, check, never));
  const turns = [
    ...checks.map(async ({ turn }) => (await turn.near())()),
    ...checks.map(() => waitForTurn(store.db, reportId, never)),
  ];
  const came = await Promise.all(turns.map((turn) => turn.then(() => performance.now() - from)));
  for (const { over } of checks) over();
  await hosts.close();
  // Each turn begins at least one turn after the one before it.
  for (const [index, time] of came.toSorted((a, b) => a - b).entries()) {
    assert.ok(time >= index * turnMs - 2, `turn ${index} came after ${time} ms`);
  }
  assert.ok((await takenMs(reportId)) >= 10 * turnMs - 2);
});

test('a rest that the site asks the spider for holds for whoever takes a turn', async () => {
  const reportId = await newReport(store, 'http://site.test/', { rateLimit: RATE, deviceId: IPHONE_15 });
  const limiter = createRateLimiter({ requestsPerSecond: RATE });
  sharedLimiter(limiter, store.db, reportId, never).slowDown(60_000);
  await until(async () => (await takenMs(reportId)) >= 60_000);
  assert.ok((await reserveRequest(store.db, reportId)) > 0);
});

test('a turn ends with the work on it', async () => {
  const reportId = await newReport(store, 'http://site.test/', { rateLimit: 1, deviceId: IPHONE_15 });
  await waitForTurn(store.db, reportId, never);
  const ending = new AbortController();
  const waiting = waitForTurn(store.db, reportId, ending.signal);
  ending.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('the spider takes its turns with the browser on a device, and needs none without one', async (t) => {
  const links = Array.from({ length: PAGES - 1 }, (_, index) => `/${index}`);
  const site = await siteWith(t, { '*': pageWith(...links) });
  const crawler = await startTestCrawler(store);
  try {
    const onDevices = [IPHONE_15, null].map((deviceId) => crawl(store, site, { rateLimit: RATE, deviceId }));
    const [device = '', plain = ''] = await Promise.all(onDevices);
    assert.ok((await takenMs(device)) >= PAGES * turnMs - 2);
    assert.equal(await takenMs(plain), 0);
  } finally {
    await crawler.stop();
  }
});
