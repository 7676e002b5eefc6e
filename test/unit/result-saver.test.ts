import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createResultSaver } from '../../src/checking/result-saver.ts';
import { ReportBusy } from '../../src/store/reports/report-transaction.ts';

const neverMore = (): boolean => false;

test('results of a busy report are collected, and written together', async () => {
  const attempts: (readonly number[])[] = [];
  const later: Promise<void>[] = [];
  const save = createResultSaver<number>(async (_, results) => {
    attempts.push(results);
    if (attempts.length > 2) return;
    later.push(save('report', 10 * attempts.length));
    throw new ReportBusy();
  }, neverMore);
  await Promise.all([save('report', 1), save('report', 2)]);
  await Promise.all(later);
  assert.deepEqual(attempts, [
    [1, 2],
    [1, 2, 10],
    [1, 2, 10, 20],
  ]);
});

test('a result that is refused does not affect the others, even if the report is busy in the meantime', async () => {
  let isBusy = false;
  const save = createResultSaver<number>(async (_, results, { waits }) => {
    if (isBusy && waits !== true) throw new ReportBusy();
    isBusy = true;
    if (results.includes(2)) throw new Error('refused');
  }, neverMore);
  const saved = await Promise.allSettled([1, 2, 3].map((result) => save('report', result)));
  assert.deepEqual(
    saved.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('results that are expected soon are waited for', async () => {
  const batches: (readonly number[])[] = [];
  let isMoreExpected = true;
  const write = async (_: string, results: readonly number[]): Promise<void> => void batches.push(results);
  const save = createResultSaver<number>(write, () => isMoreExpected);
  const first = save('report', 1);
  // Longer than results are collected if no more are expected.
  await delay(150);
  isMoreExpected = false;
  await Promise.all([first, save('report', 2)]);
  assert.deepEqual(batches, [[1, 2]]);
});
