import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResultSaver } from '../../src/checking/result-saver.ts';
import { ReportBusy } from '../../src/store/reports/report-transaction.ts';

test('results of a busy report are collected, and written together', async () => {
  const attempts: (readonly number[])[] = [];
  const later: Promise<void>[] = [];
  const save = createResultSaver<number>(async (_, results) => {
    attempts.push(results);
    if (attempts.length > 2) return;
    later.push(save('report', 10 * attempts.length));
    throw new ReportBusy();
  });
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
  });
  const saved = await Promise.allSettled([1, 2, 3].map((result) => save('report', result)));
  assert.deepEqual(
    saved.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});
