import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createHostLimits, type HostLimits } from '../../src/egress/host-limit/host-limits.ts';
import { ADVISORY_LOCKS } from '../../src/platform/advisory-locks.ts';
import { createHostShares } from '../../src/store/host-shares.ts';
import { crawled, newReport, openTestStore, startTestCrawler } from '../helpers/crawler.ts';
import { pageWith, siteWith, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** One host gets no more than its limit, however many reports and processes ask for its pages. */

const LIMIT = 12;
const PAGES = 6;
const URL = 'http://host.test/';

const log = pino({ level: 'silent' });
const store = await openTestStore();
const opened: HostLimits[] = [];

after(async () => {
  for (const limits of opened) await limits.close();
  await store.close();
});

/** What a process has. */
function newLimits(requestsPerSecond = LIMIT): HostLimits {
  const limits = createHostLimits({
    shares: createHostShares(store.db),
    requestsPerSecond,
    log,
  });
  opened.push(limits);
  return limits;
}

const PAGE = pageWith(...Array.from({ length: PAGES - 1 }, (_, index) => `/${index}`));

/** Milliseconds of the clock that all processes of a machine share. */
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
 * No window of a second held more requests than the limit. A request is taken to have come when its client began it, or
 * when the site stamped it, whichever makes the time longer: what holds up either side never makes it shorter.
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

/** What the database holds: the slots of each process, in the order in which they came. */
async function slotsOf(host: string): Promise<number[]> {
  const rows = await store.db
    .selectFrom('host_shares')
    .select('slots')
    .where('host', '=', host)
    .orderBy('lessee_id')
    .execute();
  return rows.map(({ slots }) => slots);
}

test('no number is of two kinds of advisory locks, or a host might wait for all that a worker lives', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  assert.equal(new Set(numbers).size, numbers.length);
});

test('the limit holds at the server for several reports in several processes, one of which is killed', async (t) => {
  const limit = 6;
  const host = '127.0.0.1';
  const databaseTime = async (): Promise<number> => {
    const { rows } = await sql<{ s: number }>`SELECT extract(epoch FROM clock_timestamp())::float8 AS s`.execute(
      store.db,
    );
    return rows[0]?.s ?? Number.NaN;
  };
  let isKilled = false;
  let nextCameAt: Promise<number> | null = null;
  const site = await siteWith(t, {
    '*': async (_request, response) => {
      if (site.requests.length === limit) killed.kill('SIGKILL');
      if (isKilled) nextCameAt ??= databaseTime();
      await nextCameAt;
      response.setHeader('content-type', 'text/html').end(PAGE);
    },
  });
  const left = await newReport(store, `${site.origin}/`);
  const killed = spawnCrawler(limit);
  t.after(() => killed.kill('SIGKILL'));
  const begunByKilled = text(killed.stdout);
  await once(killed, 'exit');
  assert.deepEqual(await slotsOf(host), [limit], 'it held the whole host');
  const { leaseEndsAt } = await store.db
    .selectFrom('host_lessees')
    .select(sql<number>`max(extract(epoch FROM valid_until))::float8`.as('leaseEndsAt'))
    .executeTakeFirstOrThrow();
  isKilled = true;

  const { begun, stop } = noteRequests();
  const crawlers = [
    await startTestCrawler(store, undefined, { hostRateLimit: limit }),
    await startTestCrawler(store, undefined, { hostRateLimit: limit }),
  ];
  try {
    const others = [100, 4].map((rateLimit) => newReport(store, `${site.origin}/`, { rate_limit: rateLimit }));
    for (const id of [left, ...(await Promise.all(others))]) await crawled(store, id);
    const cameAt = (await nextCameAt) ?? 0;
    assert.ok(cameAt >= leaseEndsAt + 1.1, `${cameAt - leaseEndsAt} s after the end of the lease`);
    assert.ok(site.requests.length >= 3 * PAGES);
    assertLimitHeld(site, [...(await begunByKilled).trim().split(' ').map(Number), ...begun], limit);
    // What was theirs is nobody's any more.
    await until(async () => (await slotsOf(host)).length === 0);
  } finally {
    stop();
    for (const crawler of crawlers) await crawler.stop();
  }
});

test('processes share a host, and one that wants it alone gets all of it', async () => {
  const [one, other] = [newLimits(), newLimits()];
  const first = one.join('report 1', 100);
  (await first.acquire(undefined, URL)).over();
  assert.deepEqual(await slotsOf('host.test'), [LIMIT]);
  const second = other.join('report 2', 100);
  (await second.acquire(undefined, URL)).over();
  await until(async () => (await slotsOf('host.test')).join() === `${LIMIT / 2},${LIMIT / 2}`);
  first.leave();
  await until(async () => (await slotsOf('host.test')).join() === `${LIMIT}`);
  second.leave();
  await until(async () => (await slotsOf('host.test')).length === 0);
  await until(async () => {
    const { rows } = await sql`SELECT FROM host_lessees WHERE valid_until > clock_timestamp()`.execute(store.db);
    return rows.length === 0;
  });
});

test('reports of one process take turns at a host', async () => {
  const limits = newLimits(1_000);
  const [busy, modest] = [limits.join('busy', 1_000), limits.join('modest', 1_000)];
  const order: string[] = [];
  const ask = async (name: string, user: typeof busy, count: number): Promise<void> => {
    const asked = Array.from({ length: count }, async () => {
      const slot = await user.acquire(undefined, 'http://turns.test/');
      order.push(name);
      slot.over();
    });
    await Promise.all(asked);
  };
  await Promise.all([ask('busy', busy, 8), ask('modest', modest, 3)]);
  busy.leave();
  modest.leave();
  assert.deepEqual(order.slice(0, 6).toSorted(), ['busy', 'busy', 'busy', 'modest', 'modest', 'modest']);
});

test('who has left a host, or has ended, wants nothing there', async () => {
  const limits = newLimits(1);
  const [first, second] = [limits.join('first', 1), limits.join('second', 1)];
  await assert.rejects(second.acquire(AbortSignal.abort(new Error('ended')), 'http://left.test/'), /ended/);
  const slot = await first.acquire(undefined, 'http://left.test/');
  const waiting = second.acquire(undefined, 'http://left.test/');
  second.leave();
  await assert.rejects(waiting, /Nothing more was wanted/);
  await assert.rejects(second.acquire(undefined, 'http://left.test/'), /Nothing more was wanted/);
  slot.over();
  first.leave();
  await until(async () => (await slotsOf('left.test')).length === 0);
});

test('a process that was not heard of for too long asks for nothing until it has a share again', async () => {
  const limits = newLimits();
  const user = limits.join('report', 100);
  (await user.acquire(undefined, 'http://lost.test/')).over();
  await sql`DELETE FROM host_lessees`.execute(store.db);
  await until(async () => (await slotsOf('lost.test')).join() === `${LIMIT}`);
  (await user.acquire(undefined, 'http://lost.test/')).over();
  const waiting = user.acquire(AbortSignal.abort(new Error('gone')), 'http://lost.test/');
  await assert.rejects(waiting, /gone/);
  user.leave();
});
