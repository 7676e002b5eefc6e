import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import { MissedTurn } from '../../src/checks/check-engine.ts';
import { createBrowserRequest, FarTurn, sharedLimiter, waitForTurn } from '../../src/crawling/request-turn.ts';
import type { CheckKind } from '../../src/domain/check.ts';
import { createHostLimits } from '../../src/egress/host-limit/host-limits.ts';
import { claimChecks, freeWorkOfDeadWorkers, noteBegin, releaseCheck } from '../../src/queue/claims.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { createHostShares } from '../../src/store/host-shares.ts';
import { deferRequests, reserveRequest } from '../../src/store/request-turns.ts';
import { crawl, newReport, openTestStore, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { IPHONE_15 } from '../helpers/devices.ts';
import { a11yErrorsOf, startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages, WORKER } from '../helpers/played-report.ts';
import { pageWith, siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

const RATE = 20;
const PAGES = 4;
/** What one turn takes of the report's time. */
const turnMs = 1_100 / RATE;

const log = pino({ level: 'silent' });

const store = await openTestStore();
const never = new AbortController().signal;

beforeEach(() => store.db.updateTable('reports').set({ crawl_pending: false }).execute());
after(() => store.close());

const newLimits = () => createHostLimits({ shares: createHostShares(store.db), requestsPerSecond: 100, log });

/** Milliseconds of the report's time that are taken, from its creation on. */
async function takenMs(reportId: string): Promise<number> {
  const { inserted_at: from, next_request_at: until } = await reportOf(store, reportId);
  return until === null ? 0 : until.getTime() - from.getTime();
}

test('turns that are asked for together come one after another, whoever asks', async () => {
  const reportId = await newReport(store, 'http://site.test/', { rateLimit: RATE, deviceId: IPHONE_15 });
  const from = performance.now();
  const hosts = newLimits();
  const check = { reportId, url: 'http://site.test/' };
  const checks = Array.from({ length: 5 }, () => createBrowserRequest({ db: store.db, hosts, log }, check, never));
  const turns = [
    ...checks.map((request) => request.near(true).then(request.take)),
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
  assert.ok(((await reserveRequest(store.db, reportId)) ?? 0) > 0);
});

test('a rest voids the turns that were reserved before, and sends the checks that wait for one away', async () => {
  const reportId = await newReport(store, 'http://site.test/', { rateLimit: RATE, deviceId: IPHONE_15 });
  const hosts = newLimits();
  const check = { reportId, url: 'http://site.test/' };
  const [near, late] = [0, 1].map(() => createBrowserRequest({ db: store.db, hosts, log }, check, never));
  assert(near !== undefined && late !== undefined);
  await near.near(false);
  await deferRequests(store.db, reportId, 60_000);
  await assert.rejects(near.take(), MissedTurn);
  for (const request of [near, late]) {
    await assert.rejects(request.near(false), FarTurn);
    request.over();
  }
  await hosts.close();
  assert.ok((await takenMs(reportId)) < 120_000, 'no turn was reserved for them');
});

/** A report with four pages, on a device whose next turn comes in so many milliseconds. */
async function reportOnDevice(turnInMs: number): Promise<string> {
  const { reportId } = await reportWithPages(store);
  await store.db.updateTable('reports').set({ device_id: IPHONE_15 }).where('id', '=', reportId).execute();
  await deferRequests(store.db, reportId, turnInMs);
  return reportId;
}

test('checks on a device are claimed when their turn is near, and others whenever they are free', async () => {
  const [near, far] = [await reportOnDevice(5_000), await reportOnDevice(600_000)];
  const claimed = async (kind: CheckKind, turnWithinMs?: number): Promise<number[]> => {
    const checks = await claimChecks(store.db, kind, WORKER, 100, turnWithinMs === undefined ? {} : { turnWithinMs });
    await freeWorkOfDeadWorkers(store.db);
    return [near, far].map((id) => checks.filter(({ reportId }) => reportId === id).length);
  };
  assert.deepEqual(await claimed('a11y', 60_000), [4, 0]);
  assert.deepEqual(await claimed('a11y', 0), [0, 0]);
  assert.deepEqual(await claimed('html'), [4, 4]);
  await store.db.deleteFrom('checks').execute();
});

test('a check that waits for its turn lets others have its place', async (t) => {
  const order: string[] = [];
  // Its pages are older, and so come first.
  const reportIds = [await reportOnDevice(1_200), (await reportWithPages(store)).reportId];
  await startPlayedChecking(t, store, async ({ viewport, takeTurn }) => {
    await takeTurn?.();
    order.push(viewport.userAgent === null ? 'default' : 'device');
  });
  assert.deepEqual(await a11yErrorsOf(store, ...reportIds), [null]);
  assert.deepEqual([order[0], order.length], ['default', 8]);
});

test('a check that is given back was not begun without an end, and each begin counts once', async () => {
  const { reportId } = await reportWithPages(store);
  const claimed = async () => (await claimChecks(store.db, 'a11y', WORKER, 1))[0] ?? assert.fail('none is free');
  await claimed();
  await freeWorkOfDeadWorkers(store.db);
  for (let round = 1; round <= 2; round += 1) {
    const check = await claimed();
    assert.deepEqual([check.reportId, check.attempts], [reportId, 2]);
    for (let times = 1; times <= 2; times += 1) assert.equal(await noteBegin(store.db, 'a11y', check), 1);
    await releaseCheck(store.db, 'a11y', check, true);
  }
  await store.db.deleteFrom('checks').execute();
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
