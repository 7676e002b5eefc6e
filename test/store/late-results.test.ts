import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { claimChecks, recordStart, releaseCheck } from '../../src/queue/claims.ts';
import { freeWorkOfDeadWorkers } from '../../src/queue/worker.ts';
import type { CheckResult } from '../../src/store/pages/check-outcome.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { ISSUE } from '../helpers/paying.ts';
import { reportWithPages, WORKER } from '../helpers/played-report.ts';

/** Late or repeated results count once: each belongs to one claim, and each claim has one result. */

const store = await openTestStore();
after(() => store.close());

/** Claims the checks of a report for a worker that holds no lock, so the claims are void. */
async function claimAll(): Promise<CheckResult[]> {
  await freeWorkOfDeadWorkers(store.db);
  const checks = await claimChecks(store.db, 'html', WORKER, 10);
  return checks.map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome: { issues: [ISSUE] } }));
}

/** Checked pages and errors, from the stored counts. */
async function sumsOf(reportId: string) {
  const sums = await store.db
    .selectFrom('report_checks')
    .select(['pending', 'checked', 'errors'])
    .where('report_id', '=', reportId)
    .where('kind', '=', 'html')
    .executeTakeFirstOrThrow();
  return [sums.pending, sums.checked, sums.errors];
}

for (const [order, arrange] of [
  ['before', (late: CheckResult, current: CheckResult) => [late, current]],
  ['after', (late: CheckResult, current: CheckResult) => [current, late]],
] as const) {
  test(`a result of a lost claim ${order} the one of the current claim, in one batch: one counts`, async () => {
    const { reportId } = await reportWithPages(store);
    const [late, ...others] = await claimAll();
    const current = (await claimAll()).find(({ webPageId }) => webPageId === late?.webPageId);
    assert(late !== undefined && current !== undefined);
    assert.notEqual(late.claimId, current.claimId);
    await saveCheckResults(store.db, reportId, 'html', arrange(late, current));
    assert.deepEqual(await sumsOf(reportId), [3, 1, 1]);
    await assertCountsAddUp(store.db, reportId);
    await saveCheckResults(store.db, reportId, 'html', others);
    assert.deepEqual(await sumsOf(reportId), [3, 1, 1], 'lost claims alone count nothing');
    await saveCheckResults(store.db, reportId, 'html', await claimAll());
    assert.deepEqual(await sumsOf(reportId), [0, 4, 4]);
    await assertCountsAddUp(store.db, reportId);
  });
}

test('the same result twice in one batch counts once', async () => {
  const { reportId } = await reportWithPages(store);
  const results = await claimAll();
  await saveCheckResults(store.db, reportId, 'html', [...results, ...results]);
  assert.deepEqual(await sumsOf(reportId), [0, 4, 4]);
  await assertCountsAddUp(store.db, reportId);
});

test('a released check does not count as unfinished, and each begin counts once', async () => {
  await store.db.deleteFrom('checks').execute();
  const { reportId } = await reportWithPages(store);
  const claimed = async () => (await claimChecks(store.db, 'a11y', WORKER, 1))[0] ?? assert.fail('none is free');
  await claimed();
  await freeWorkOfDeadWorkers(store.db);
  for (let round = 1; round <= 2; round += 1) {
    const check = await claimed();
    assert.deepEqual([check.reportId, check.attempts], [reportId, 2]);
    for (let times = 1; times <= 2; times += 1) assert.equal(await recordStart(store.db, 'a11y', check), 1);
    await releaseCheck(store.db, 'a11y', check, 'interrupted');
  }
});
