import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import pg from 'pg';
import { pino } from 'pino';
import { createLinkEngine } from '../../src/checks/links/engine.ts';
import { createCrawledHosts, type HostUser } from '../../src/crawling/crawled-hosts.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { claimCrawl } from '../../src/queue/claims.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { crawled, newReport, openTestStore, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { runSql } from '../helpers/database.ts';
import { pageWith, siteWith, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** One host gets no more requests than its limit, regardless of the number of reports and processes. */

const PAGES = 6;
const PAGE = pageWith(...Array.from({ length: PAGES - 1 }, (_, index) => `/${index}`));

const store = await openTestStore();
after(() => store.close());

/** Milliseconds of a clock that all processes of a machine share. */
const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;
const sharedOffsetMs = sharedNow() - performance.now();

/** The times at which this process begins a request, before it is written, by the shared clock. */
function noteRequests(): { readonly begun: number[]; stop(): void } {
  const begun: number[] = [];
  const note = (): void => void begun.push(sharedNow());
  subscribe('undici:request:create', note);
  return { begun, stop: () => void unsubscribe('undici:request:create', note) };
}

/**
 * No window of one second has more requests than the limit. A request counts from when its client began it, or
 * when the site recorded it, whichever makes the window longer: delays on either side never make it shorter.
 */
function assertLimitHeld(site: TestSite, begun: readonly number[], limit: number): void {
  const tookMs = site.requests.slice(limit).map(({ at }, index) => at + sharedOffsetMs - (begun[index] ?? Number.NaN));
  assert.ok(Math.min(...tookMs) >= 1_000, `${limit + 1} requests in ${Math.min(...tookMs)} ms`);
}

/** A process that crawls until it is killed; its output is the times at which it began requests. */
function spawnCrawler(hostRateLimit: number) {
  const script = `
    import { subscribe } from 'node:diagnostics_channel';
    import { writeSync } from 'node:fs';
    import { openDatabase } from './src/store/database.ts';
    import { startTestCrawler } from './test/helpers/crawler.ts';
    subscribe('undici:request:create', () => writeSync(1, Number(process.hrtime.bigint()) / 1e6 + ' '));
    const connectionString = ${JSON.stringify(store.connectionString)};
    const { db } = openDatabase(connectionString, () => undefined);
    await startTestCrawler({ connectionString, db }, undefined, { hostRateLimit: ${hostRateLimit} });`;
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** The owners of hosts: ids of workers. */
async function ownersOf(host: string): Promise<number[]> {
  const rows = await store.db.selectFrom('host_claims').select('claimed_by').where('host', '=', host).execute();
  return rows.map(({ claimed_by }) => claimed_by);
}

/** Makes a type of statement fail for two hosts, and returns a function that ends this. */
async function breakHostClaims(statement: 'INSERT' | 'DELETE'): Promise<() => Promise<void>> {
  const row = statement === 'INSERT' ? 'NEW' : 'OLD';
  await runSql(
    store.connectionString,
    `CREATE FUNCTION break_host() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Broken for a test'; END $$;
    CREATE TRIGGER break_host BEFORE ${statement} ON host_claims FOR EACH ROW
    WHEN (${row}.host IN ('localhost', 'broken.test')) EXECUTE FUNCTION break_host()`,
  );
  return async () => void (await runSql(store.connectionString, 'DROP FUNCTION IF EXISTS break_host CASCADE'));
}

/** Several processes in one, as far as crawling is concerned. */
async function startCrawlers(
  t: TestContext,
  count: number,
  hostRateLimit: number,
): Promise<{ stop(): Promise<void> }[]> {
  const crawlers: { stop(): Promise<void> }[] = [];
  t.after(() => Promise.all(crawlers.map((crawler) => crawler.stop())));
  while (crawlers.length < count) crawlers.push(await startTestCrawler(store, undefined, { hostRateLimit }));
  return crawlers;
}

test('no two kinds of advisory locks share a number', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  assert.equal(new Set(numbers).size, numbers.length);
});

test('the limit holds for several reports in several processes, one of which is killed', async (t) => {
  const limit = 6;
  const host = '127.0.0.1';
  const site = await siteWith(t, {
    '*': (_request, response) => {
      if (site.requests.length === limit) killed.kill('SIGKILL');
      response.setHeader('content-type', 'text/html').end(PAGE);
    },
  });
  const left = await newReport(store, `${site.origin}/`);
  const killed = spawnCrawler(limit);
  t.after(() => killed.kill('SIGKILL'));
  const begunByKilled = text(killed.stdout);
  await once(killed, 'exit');
  assert.equal((await ownersOf(host)).length, 1);

  const { begun, stop } = noteRequests();
  t.after(stop);
  await startCrawlers(t, 2, limit);
  const others = [100, 4].map((rateLimit) => newReport(store, `${site.origin}/`, { rate_limit: rateLimit }));
  for (const id of [left, ...(await Promise.all(others))]) await crawled(store, id);
  assert.ok(site.requests.length >= 3 * PAGES);
  assertLimitHeld(site, [...(await begunByKilled).trim().split(' ').map(Number), ...begun], limit);
  // Their claims are void.
  await until(async () => (await ownersOf(host)).length === 0);
});

test('all reports of a host are crawled by one process at a time, at the limit of the host', async (t) => {
  const limit = 12;
  const workers = new Set<number | null>();
  const owners: number[] = [];
  const site = await siteWith(t, {
    '*': async (_request, response) => {
      const running = store.db.selectFrom('reports').select('crawled_by').where('crawled_by', 'is not', null);
      for (const { crawled_by } of await running.execute()) workers.add(crawled_by);
      owners.push(...(await ownersOf('127.0.0.1')));
      response.setHeader('content-type', 'text/html').end(PAGE);
    },
  });
  const { begun, stop } = noteRequests();
  t.after(stop);
  const ids = await Promise.all(
    [100, 100, 100].map((rateLimit) => newReport(store, `${site.origin}/`, { rate_limit: rateLimit })),
  );
  await startCrawlers(t, 2, limit);
  for (const id of ids) await crawled(store, id);
  assert.equal(workers.size, 1);
  assert.deepEqual(new Set(owners), workers);
  assertLimitHeld(site, begun, limit);
});

for (const [name, { hostLimit, rateLimit, isSameReport }] of Object.entries({
  'rate_limit holds for the crawl and the link checks of a report together': {
    hostLimit: 100,
    rateLimit: 4,
    isSameReport: true,
  },
  'the limit of a host holds for a crawl and the link checks of another report together': {
    hostLimit: 4,
    rateLimit: 100,
    isSameReport: false,
  },
})) {
  test(name, async (t) => {
    const site = await siteWith(t, { '*': PAGE });
    const limiters = createSharedLimiters(hostLimit);
    const httpClient = createHttpClient({
      addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
      userAgent: 'sitewarden/test',
    });
    t.after(() => httpClient.close());
    const { begun, stop } = noteRequests();
    t.after(stop);
    const crawler = await startTestCrawler(store, undefined, { limiters });
    t.after(() => crawler.stop());
    const reportId = await newReport(store, `${site.origin}/`, { rate_limit: rateLimit });
    const links = createLinkEngine({ httpClient, limiters }).collect(
      {
        document: {
          url: `${site.origin}/`,
          httpStatus: 200,
          contentType: 'text/html',
          headers: [],
          body: Buffer.from(PAGE),
        },
        viewport: DEFAULT_VIEWPORT,
        cacheGroup: isSameReport ? reportId : 'another',
        requestsPerSecond: rateLimit,
      },
      new AbortController().signal,
    );
    await Promise.all([crawled(store, reportId), links]);
    assert.equal(site.requests.length, 2 * PAGES - 1);
    assertLimitHeld(site, begun, 4);
  });
}

test("a crawl that is redirected to another process's host waits until it can claim the host", async (t) => {
  const elsewhere = 900_000;
  const another = new pg.Client({ connectionString: store.connectionString });
  await another.connect();
  await another.query('SELECT pg_advisory_lock($1, $2)', [ADVISORY_LOCKS.worker, elsewhere]);
  await store.db.insertInto('host_claims').values({ host: 'localhost', claimed_by: elsewhere }).execute();
  const site = await siteWith(t, {
    '/away': (_request, response) => {
      response.writeHead(302, { location: `${site.origin.replace('127.0.0.1', 'localhost')}/` }).end();
    },
    '*': PAGE,
  });
  const reportId = await newReport(store, `${site.origin}/away`);
  await startCrawlers(t, 2, 100);
  const given = async () => {
    const { crawl_hosts, crawled_by, crawl_failures } = await reportOf(store, reportId);
    return [...crawl_hosts, crawled_by, crawl_failures].join();
  };
  await until(async () => (await given()) === '127.0.0.1,localhost,,0');
  assert.equal(await claimCrawl(store.db, 1_000_000), null);
  assert.deepEqual(await ownersOf('localhost'), [elsewhere]);
  assert.deepEqual(
    site.requests.map(({ url }) => url),
    ['/away'],
  );

  await another.end();
  await crawled(store, reportId);
  const { num_pages, crawl_hosts, crawl_error } = await reportOf(store, reportId);
  assert.deepEqual([num_pages, crawl_hosts, crawl_error], [PAGES, ['localhost'], null]);
});

for (const [name, path] of Object.entries({ 'a page': '/away', 'a robots.txt': '/' })) {
  test(`a database error while ${name} is fetched from another host is no fault of the site`, async (t) => {
    const away = (site: TestSite) => ({ location: `${site.origin.replace('127.0.0.1', 'localhost')}/` });
    const site = await siteWith(t, {
      '/away': (_request, response) => void response.writeHead(302, away(site)).end(),
      '/robots.txt': (request, response) => {
        const isFirst = request.headers.host?.startsWith('127.') === true && path === '/';
        if (isFirst) response.writeHead(302, { location: `${away(site).location}robots.txt` }).end();
        else response.writeHead(404).end();
      },
      '*': PAGE,
    });
    const repair = await breakHostClaims('INSERT');
    t.after(repair);
    const reportId = await newReport(store, `${site.origin}${path}`, { respect_robots_txt: path === '/' });
    await startCrawlers(t, 1, 100);
    await until(async () => (await reportOf(store, reportId)).crawl_failures > 0);
    await repair();
    await crawled(store, reportId);
    const { num_pages, crawl_error, crawl_failed } = await reportOf(store, reportId);
    assert.deepEqual([num_pages, crawl_error, crawl_failed], [PAGES, null, false]);
  });
}

test('a host whose release failed is released later', async (t) => {
  const failed = Promise.withResolvers<void>();
  const log = pino({ level: 'warn' }, { write: () => failed.resolve() });
  const hosts = createCrawledHosts({ db: store.db, limiters: createSharedLimiters(1_000), log });
  t.after(() => hosts.close());
  const workerId = 900_002;
  await store.db.insertInto('host_claims').values({ host: 'broken.test', claimed_by: workerId }).execute();
  const repair = await breakHostClaims('DELETE');
  t.after(repair);
  const crawl = { reportId: '', claimId: 0, isFirst: true, attempts: 1, workerId, payerId: '', hostRestMs: 0 };
  const claimed = await hosts.claim(async () => ({ ...crawl, hosts: ['broken.test'] }));
  claimed?.hostUser.leave();
  await failed.promise;
  await repair();
  await until(async () => (await ownersOf('broken.test')).length === 0);
});

test('crawls alternate at a host, which others can claim when the last one has ended', async (t) => {
  const workerId = 900_001;
  const hosts = createCrawledHosts({
    db: store.db,
    limiters: createSharedLimiters(1_000),
    log: pino({ level: 'silent' }),
  });
  t.after(() => hosts.close());
  await store.db.insertInto('host_claims').values({ host: 'turns.test', claimed_by: workerId }).execute();
  const claimed = {
    reportId: '',
    claimId: 0,
    isFirst: true,
    attempts: 1,
    workerId,
    payerId: '',
    hosts: ['turns.test'],
    hostRestMs: 0,
  };
  const join = async () => (await hosts.claim(async () => claimed))?.hostUser ?? assert.fail();
  const [busy, modest] = [await join(), await join()];
  const order: string[] = [];
  const ask = async (name: string, user: HostUser, count: number): Promise<void> => {
    const asked = Array.from({ length: count }, async () => {
      const slot = await user.acquire(undefined, 'http://turns.test/');
      order.push(name);
      slot.over();
    });
    await Promise.all(asked);
  };
  await Promise.all([ask('busy', busy, 8), ask('modest', modest, 3)]);
  assert.deepEqual(order.slice(0, 6).toSorted(), ['busy', 'busy', 'busy', 'modest', 'modest', 'modest']);
  busy.leave();
  assert.deepEqual(await ownersOf('turns.test'), [workerId]);
  modest.leave();
  await until(async () => (await ownersOf('turns.test')).length === 0);
});
