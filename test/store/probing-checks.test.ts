import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { LoadedResource } from '../../src/domain/loaded-resource.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { a11yErrorsOf, NOTHING_FOUND, playedEngine, startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages } from '../helpers/played-report.ts';
import { until } from '../helpers/until.ts';

const store = await openTestStore();
after(() => store.close());

test('checks that wait for the files of their pages let others run, up to a limit, and leave no requests', async (t) => {
  const answer = JSON.stringify({ ...JSON.parse(`${NOTHING_FOUND}`), loaded: { resources: [], isScripted: false } });
  const waiting: ((present: readonly LoadedResource[]) => void)[] = [];
  let most = 0;
  const signals: AbortSignal[] = [];
  let abortedEarly = 0;
  const engine = playedEngine({
    basis: async () => ({ engineVersion: 'played', settings: '' }),
    collect: async () => Buffer.from(answer),
    presentResources(_resources, _use, signal) {
      abortedEarly += signals.filter(({ aborted }) => aborted).length;
      signals.push(signal);
      const { promise, resolve } = Promise.withResolvers<readonly LoadedResource[]>();
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
      return promise;
    },
  });
  await startPlayedChecking(t, store, async () => undefined, { engine });
  const first = await reportWithPages(store, 'Page');
  assert.deepEqual(await a11yErrorsOf(store, first.reportId), [null]);
  const second = await reportWithPages(store, 'Page');
  // Two have stepped aside, and the third runs.
  await until(() => waiting.length === 3);
  const answering = setInterval(() => waiting.shift()?.([]), 50);
  t.after(() => clearInterval(answering));
  assert.deepEqual(await a11yErrorsOf(store, second.reportId), [null]);
  const checks = store.db.selectFrom('checks').select('reused_from').where('report_id', '=', second.reportId);
  const reused = (await checks.where('kind', '=', 'a11y').execute()).map(({ reused_from }) => reused_from);
  assert.deepEqual([most, reused], [3, Array(4).fill(first.reportId)]);
  // Requests continue for other pages of the report, and end with the last of its checks.
  const aborted = signals.filter((signal) => signal.aborted);
  assert.deepEqual([abortedEarly, aborted.length], [0, 4]);
});
