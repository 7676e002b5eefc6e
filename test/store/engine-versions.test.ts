import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { claimChecks } from '../../src/queue/claims.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { openTestStore } from '../helpers/crawler.ts';
import { reportWithPages, WORKER } from '../helpers/played-report.ts';

const store = await openTestStore();
after(() => store.close());

test('a report keeps the version of the engine that checked it first, and only its first page is shown', async () => {
  const { reportId, pageIds } = await reportWithPages(store);
  const versions = async () => {
    const rows = store.db
      .selectFrom('report_checks')
      .select(['kind', 'engine_version'])
      .where('report_id', '=', reportId);
    return Object.fromEntries((await rows.execute()).map(({ kind, engine_version }) => [kind, engine_version]));
  };
  const check = async (engineVersion: string | null) => {
    const claimed = await claimChecks(store.db, 'html', WORKER, 10);
    const outcome = { issues: [], engineVersion };
    const results = claimed.map(({ webPageId, claimId }) => ({ webPageId, claimId, outcome }));
    await saveCheckResults(store.db, reportId, 'html', results);
    return claimed;
  };
  assert.deepEqual(await versions(), { html: null, a11y: null });
  const claimed = await check('vnu 1');
  assert.deepEqual(
    claimed.map(({ isStartPage }) => isStartPage),
    claimed.map(({ webPageId }) => webPageId === pageIds[0]),
  );
  assert.deepEqual(await versions(), { html: 'vnu 1', a11y: null });
  await recheckPage(store.db, reportId, pageIds[0] ?? 0);
  await store.db.updateTable('checks').set({ runnable: true }).where('report_id', '=', reportId).execute();
  await check('vnu 2');
  assert.deepEqual(await versions(), { html: 'vnu 1', a11y: null });
});
