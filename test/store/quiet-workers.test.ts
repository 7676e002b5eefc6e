import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { claimChecks } from '../../src/queue/claims.ts';
import { joinWorkers } from '../../src/queue/worker.ts';
import { listWorkers, recordWorker } from '../../src/store/living-workers.ts';
import { announceWork } from '../../src/store/work-topics.ts';
import { quietLog } from '../helpers/browser.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { reportWithPages, WORKER } from '../helpers/played-report.ts';
import { until } from '../helpers/until.ts';

/** How workers look for work while nothing is announced. */

const store = await openTestStore();
after(() => store.close());

const TOPICS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const QUIET_AT_ONCE = { sweepMs: 30, quietAfterMs: 0 };
const NEVER_QUIET = { sweepMs: 30, quietAfterMs: 3_600_000 };

test('operators see since when a killed process does not respond, until another replaces it; a stopped one disappears', async () => {
  const listed = async (): Promise<string[]> =>
    (await listWorkers(store.db, { number: 1, size: 10 })).rows.map(({ host, isRunning, endedAt }) =>
      [host, isRunning ? 'running' : 'not responding', ...(endedAt === null ? [] : ['since'])].join(' '),
    );
  const killed = { host: 'one', pid: 7, version: '1.2.3', command: 'work', engines: ['html'] };
  // This test is the first: workers of other tests could record what they have found after their end.
  await recordWorker(store.db, 1_000_001, killed);
  await recordWorker(store.db, 1_000_002, killed);
  assert.deepEqual(await listed(), ['one not responding']);
  const process = { ...killed, host: 'other' };
  const worker = await joinWorkers(store.connectionString, store.db, quietLog, { ...QUIET_AT_ONCE, process });
  await until(async () => (await listed()).join() === 'other running,one not responding since');
  await worker.close();
  assert.deepEqual(await listed(), ['one not responding since']);
});

test('without work, every topic has its turn, and work of dead workers is still released', async () => {
  // Before a worker could release its crawl, too.
  const { reportId } = await reportWithPages(store);
  const worker = await joinWorkers(store.connectionString, store.db, quietLog, QUIET_AT_ONCE);
  try {
    const calls: string[] = [];
    for (const topic of TOPICS) worker.onWork(topic, () => calls.push(topic));
    await until(() => calls.length >= 2 * TOPICS.length);
    const round = calls.slice(0, TOPICS.length);
    assert.deepEqual(round.toSorted(), TOPICS);
    assert.deepEqual(calls.slice(TOPICS.length, 2 * TOPICS.length), round, 'one after the other');

    // No process holds the lock of this worker.
    assert.ok((await claimChecks(store.db, 'html', WORKER, 10)).length > 0);
    const claimed = () =>
      store.db
        .selectFrom('checks')
        .select('turn')
        .where('report_id', '=', reportId)
        .where('claimed_by', 'is not', null);
    await until(async () => (await claimed().execute()).length === 0);
  } finally {
    await worker.close();
  }
});

test('after an announcement, all topics have their turns together', async () => {
  const worker = await joinWorkers(store.connectionString, store.db, quietLog, NEVER_QUIET);
  try {
    const calls: string[] = [];
    for (const topic of TOPICS) worker.onWork(topic, () => calls.push(topic));
    await announceWork(store.db, ['c']);
    // Before the announcement arrives, it has turns with the others.
    const timesOf = (topic: string): number => calls.filter((called) => called === topic).length;
    await until(() => timesOf('c') > timesOf('d'));
    calls.length = 0;
    await until(() => calls.length >= TOPICS.length);
    assert.deepEqual(calls.slice(0, TOPICS.length).toSorted(), TOPICS);
  } finally {
    await worker.close();
  }
});

test('when the worker that releases the work of dead workers ends, another one does', async () => {
  const join = () => joinWorkers(store.connectionString, store.db, quietLog, NEVER_QUIET);
  const claimed = store.db.selectFrom('checks').select('turn').where('claimed_by', '=', WORKER);
  const assertReleased = async (): Promise<void> => {
    assert.ok((await claimChecks(store.db, 'html', WORKER, 10)).length > 0);
    await until(async () => (await claimed.execute()).length === 0);
  };
  await reportWithPages(store);
  const first = await join();
  await assertReleased();
  const second = await join();
  await first.close();
  await assertReleased();
  await second.close();
});
