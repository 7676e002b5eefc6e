import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { createReportFeeds, type StreamRequest } from '../../src/api/events/report-feeds.ts';
import { limitRequests } from '../../src/api/http/request-rate.ts';
import { RetryLater } from '../../src/platform/errors.ts';
import { createCountExchange } from '../../src/store/counts/count-exchange.ts';
import { createHostUse } from '../../src/store/counts/host-use.ts';
import { removeOldCounts } from '../../src/store/counts/shared-counts.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { runSql } from '../helpers/database.ts';

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
  assert.deepEqual(
    Array.from({ length: 6 }, () => waitOf(() => one(1))),
    Array(6).fill(0),
  );
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
  assert.ok((waits.at(-1) ?? 0) <= 60 && (waits.at(-1) ?? 0) > 40);
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

test('processes that request one host share its limit', async () => {
  const uses = exchanges.map((exchange) => {
    const use = createHostUse();
    use.connect(exchange);
    return use;
  });
  for (const use of uses) use.onRequest('a.test');
  uses[0]?.onRequest('b.test');
  await exchangeAll();
  for (const use of uses) use.onRequest('a.test');
  await exchangeAll();
  assert.deepEqual(
    uses.map((use) => use.othersOn('a.test')),
    [1, 1],
  );
  assert.deepEqual(
    uses.map((use) => use.othersOn('b.test')),
    [0, 0],
  );
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
