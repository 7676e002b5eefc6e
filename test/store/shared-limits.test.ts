import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createReportFeeds, type StreamRequest } from '../../src/api/events/report-feeds.ts';
import { limitRequests } from '../../src/api/http/request-rate.ts';
import { RetryLater } from '../../src/platform/errors.ts';
import { createSharedLimiters, type SharedLimiter, type SharedLimiters } from '../../src/spider/rate-limiter.ts';
import { createCountExchange } from '../../src/store/counts/count-exchange.ts';
import { createRateShares } from '../../src/store/counts/rate-shares.ts';
import { removeOldCounts } from '../../src/store/counts/shared-counts.ts';
import { testServer } from '../helpers/api.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { runSql } from '../helpers/database.ts';
import { until } from '../helpers/until.ts';
import { virtualClock } from '../helpers/virtual-clock.ts';

/** Limits that several processes on one database keep together. */

const store = await openTestStore();
const log = pino({ level: 'silent' });
const exchanges = [0, 1].map(() => createCountExchange({ db: store.db, log, withinMs: 60_000 }));
after(async () => {
  for (const exchange of exchanges) await exchange.close();
  await store.close();
});
const exchangeAll = async (): Promise<void> => {
  for (const exchange of [...exchanges, ...exchanges]) await exchange.exchange();
};

/** Seconds to wait; 0 if the request is admitted. */
function waitOf(admit: () => void): number {
  try {
    admit();
    return 0;
  } catch (error) {
    assert.ok(error instanceof RetryLater);
    return error.retryAfterSeconds;
  }
}

test('requests to two processes count together, and none is refused because of the database', async () => {
  const [one, other] = exchanges.map((exchange) => limitRequests<number>(10, 'API token', { exchange }));
  assert.ok(one !== undefined && other !== undefined);
  const startedAt = performance.now();
  assert.deepEqual(
    Array.from({ length: 6 }, () => waitOf(() => one(1))),
    Array(6).fill(0),
  );
  // A process learns of the requests to others when it publishes its own.
  await exchangeAll();
  assert.equal(
    waitOf(() => other(1)),
    0,
  );
  await exchangeAll();
  const waits = Array.from({ length: 5 }, () => waitOf(() => other(1)));
  assert.deepEqual(
    waits.map((wait) => wait > 0),
    [false, false, false, true, true],
  );
  const secondsPassed = (performance.now() - startedAt) / 1_000;
  assert.ok((waits.at(-1) ?? 0) <= 60 && (waits.at(-1) ?? 0) > 40 - secondsPassed);
  assert.equal(
    waitOf(() => other(2)),
    0,
    'of another token',
  );

  await runSql(store.connectionString, 'ALTER TABLE shared_counts RENAME TO gone');
  for (let request = 0; request < 3; request += 1)
    assert.equal(
      waitOf(() => one(3)),
      0,
    );
  await exchangeAll();
  assert.equal(
    waitOf(() => other(3)),
    0,
  );
  await runSql(store.connectionString, 'ALTER TABLE gone RENAME TO shared_counts');
  await removeOldCounts(store.db);
});

/** What each process has published of a name. */
async function publishedAmounts(name: string): Promise<number[]> {
  const { rows } = await sql<{ amount: number }>`SELECT sum(amount)::integer AS amount FROM shared_counts
    WHERE name = ${createHash('sha256').update(name).digest()} GROUP BY process`.execute(store.db);
  return rows.map(({ amount }) => amount);
}

test('requests below /auth from one address count in all processes together', async () => {
  const servers = [0, 1].map(() => testServer(store.db, {}));
  const statusOf = async (index: number): Promise<number | undefined> =>
    (await servers[index]?.inject('/auth/session'))?.statusCode;
  try {
    for (let request = 0; request < 200; request += 1) assert.equal(await statusOf(0), 200);
    // The other process learns of them with its first request.
    await until(async () => (await publishedAmounts('address 127.0.0.1')).join() === '200');
    const statuses: unknown[] = [await statusOf(1)];
    await until(async () => (await publishedAmounts('address 127.0.0.1')).length === 2);
    await until(async () => statuses.push(await statusOf(1)) === 300 || statuses.at(-1) === 429, { pollMs: 1 });
    // Of 300 per minute.
    assert.ok(statuses.length <= 130, `the other process admitted ${statuses.length}`);
  } finally {
    for (const server of servers) await server.close();
  }
});

test('processes that request one host, or check links of one report, share its limit', async () => {
  const shares = exchanges.map((exchange) => {
    const connected = createRateShares();
    connected.connect(exchange);
    return connected;
  });
  const clocks = shares.map(() => virtualClock());
  const limiters = shares.map((share, index) => createSharedLimiters(12, clocks[index]?.clock, share));
  /** When the process sends the last of some requests, in milliseconds. */
  const sends = async (process: number, limiter: (limiters: SharedLimiters) => SharedLimiter): Promise<number> => {
    const [of, clock] = [limiters[process], clocks[process]];
    assert.ok(of !== undefined && clock !== undefined);
    const from = clock.clock.now();
    for (let request = 0; request < 13; request += 1) {
      void limiter(of)
        .acquire()
        .then((slot) => {
          slot.written();
          slot.answered();
          slot.over();
        });
    }
    await clock.run();
    return clock.clock.now() - from;
  };
  for (const limiterOf of [
    ({ forHost }: SharedLimiters) => forHost('a.test', 'account'),
    ({ forReport }: SharedLimiters) => forReport('report', 12),
  ]) {
    const alone = await sends(0, limiterOf);
    // A process reads the counts of others when it publishes its own.
    for (const process of [1, 0]) {
      await sends(process, limiterOf);
      await exchangeAll();
    }
    const together = await sends(0, limiterOf);
    assert.ok(together > 1.8 * alone, `${together} ms instead of ${alone} ms`);
  }
  const elsewhere = ({ forReport }: SharedLimiters) => forReport('another', 12);
  const alone = await sends(0, elsewhere);
  await exchangeAll();
  assert.ok((await sends(0, elsewhere)) < 1.2 * alone);
});

test('an account has its event streams in all processes together', async () => {
  const feeds = [0, 1].map(() => createReportFeeds({ db: store.db, log }));
  const viewer = { accountId: store.accountId, link: null };
  const request = { viewer, reportId: null, lastEventId: undefined } as unknown as StreamRequest;
  try {
    for (let stream = 0; stream < 20; stream += 1) await feeds[stream % 2]?.open(request);
    for (const feed of feeds) await assert.rejects(feed.open(request), { code: 'too_many_streams' });
  } finally {
    for (const feed of feeds) feed.close();
  }
});
