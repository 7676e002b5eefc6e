import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createQueryId, type KyselyPlugin, sql } from 'kysely';
import { createAccount } from '../../src/accounts/accounts.ts';
import { fullSentenceOf, sentenceOf } from '../../src/domain/failures/failure.ts';
import { untilCalled } from '../../src/platform/until-called.ts';
import { claimChecks } from '../../src/queue/claims.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { deleteReport } from '../../src/store/reports/deletion.ts';
import { logReportEnds } from '../../src/store/reports/ended-report.ts';
import { stopReport } from '../../src/store/reports/report-end.ts';
import { findReport } from '../../src/store/reports/reports.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { crawled, newReport, openTestStore, startTestCrawler, type TestStore } from '../helpers/crawler.ts';
import { startPlayedChecking } from '../helpers/played-checking.ts';
import { reportWithPages } from '../helpers/played-report.ts';
import { pageWith, siteWith, startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

const WORKER = 1_000_000;
const REASON = 'The report was stopped before it was complete';

let store: TestStore;
let site: TestSite;
const gate = Promise.withResolvers<void>();

before(async () => {
  store = await openTestStore();
  site = await startTestSite({
    '*': async (request, response) => {
      if (request.url === '/gated') await gate.promise;
      response.setHeader('content-type', 'text/html');
      response.end('<!DOCTYPE html><title>x</title><a href="/a">A</a><a href="/gated">Gated</a>');
    },
  });
});
after(async () => {
  gate.resolve();
  await site.stop();
  await store.close();
});

async function reportOf(id: string) {
  const report = await findReport(store.db, id);
  assert.ok(report);
  return report;
}

test('a stopped report keeps its results, and pays for claimed checks', async () => {
  const { id: accountId } = await createAccount(store.db, { email: 'owner@example.com', credits: 100 });
  const crawler = await startTestCrawler(store);
  const id = await newReport(store, `${site.origin}/`, { accountId, checks: ['html', 'a11y'] });
  await until(async () => (await reportOf(id)).num_pages === 2);
  await until(() => site.requests.some(({ url }) => url === '/gated'));
  const [done, underWay] = await claimChecks(store.db, 'html', WORKER, 2);
  assert.ok(done !== undefined && underWay !== undefined);
  await saveCheckResults(store.db, id, 'html', [{ ...done, outcome: { issues: [] } }]);

  const ended: object[] = [];
  logReportEnds(store.db, { info: (report: object) => void ended.push(report) });
  await stopReport(store.db, id);
  const stopped = await reportOf(id);
  assert.deepEqual(
    [stopped.status, fullSentenceOf(stopped.crawl_error), stopped.num_pages],
    ['finished', `${REASON}.`, 2],
  );
  const checks = await store.db.selectFrom('checks').select(['status', 'error']).where('report_id', '=', id).execute();
  assert.deepEqual(checks.map(({ status, error }) => `${status} ${error && sentenceOf(error)}`).sort(), [
    'checked null',
    ...new Array(3).fill(`failed ${REASON}`),
  ]);
  const account = store.db.selectFrom('accounts').select('credits').where('id', '=', accountId);
  assert.equal((await account.executeTakeFirstOrThrow()).credits, 100 - 2, 'the two checks that were claimed');

  assert.deepEqual(
    ended.map((report) => Object(report).status),
    ['finished'],
    'the log has its end',
  );
  // Results in progress come too late.
  await saveCheckResults(store.db, id, 'html', [{ ...underWay, outcome: { issues: [] } }]);
  gate.resolve();
  await crawler.stop();
  const after = await reportOf(id);
  assert.deepEqual([after.num_pages, after.checks['html']?.checked], [2, 1]);
  await assertCountsAddUp(store.db, id);
  assert.deepEqual(await claimChecks(store.db, 'a11y', WORKER, 10), []);
});

test('the running check and the crawl of a report end when it is stopped or deleted', async (t) => {
  let [runningChecks, openRequests] = [0, 0];
  const endless = await siteWith(t, {
    '/': pageWith('/hanging'),
    '/hanging': (_, response) => {
      openRequests += 1;
      response.on('close', () => {
        openRequests -= 1;
      });
      return untilCalled<void>(undefined, () => () => undefined);
    },
  });
  await startPlayedChecking(t, store, async (_, signal) => {
    runningChecks += 1;
    await untilCalled(signal, () => () => undefined).finally(() => {
      runningChecks -= 1;
    });
  });
  const never = { headersTimeoutMs: 3_600_000, requestTimeoutMs: 3_600_000 };
  const crawler = await startTestCrawler(store, undefined, { http: never });
  t.after(() => crawler.stop());
  for (const end of [stopReport, deleteReport]) {
    const id = await newReport(store, `${endless.origin}/`, { checks: ['a11y'] });
    await until(() => runningChecks === 1 && openRequests === 1);
    await end(store.db, id);
    await until(() => runningChecks === 0 && openRequests === 0);
  }
});

test('no check is claimed while its report is being stopped', async () => {
  const { reportId } = await reportWithPages(store);
  const claims: number[] = [];
  const claimer: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      claims.push((await claimChecks(store.db, 'html', WORKER, 1)).length);
      return result;
    },
  };
  await stopReport(store.db.withPlugin(claimer), reportId);
  assert.ok(claims.includes(1) && claims.includes(0), String(claims));
  const { status, checks } = await reportOf(reportId);
  assert.deepEqual([status, checks['html']?.pending], ['finished', 0]);
});

test('a report that has ended is not changed, and one without pages has failed', async () => {
  const waiting = await newReport(store, `${site.origin}/`);
  await stopReport(store.db, waiting);
  const stopped = await reportOf(waiting);
  assert.deepEqual([stopped.status, fullSentenceOf(stopped.crawl_error)], ['failed', `${REASON}.`]);
  const crawler = await startTestCrawler(store);
  const id = await newReport(store, `${site.origin}/missing`, { checks: [], max_pages: 1 });
  await crawled(store, id);
  await crawler.stop();
  const before = await reportOf(id);
  assert.equal(before.status, 'finished');
  await stopReport(store.db, id);
  assert.deepEqual(await reportOf(id), before);
});

test('a report with any number of pending checks is stopped, even during re-fetching', async () => {
  const { reportId } = await reportWithPages(store);
  const more = 2_500;
  await sql`
    WITH pages AS (
      INSERT INTO web_pages (report_id, url, refetch_pending)
      SELECT ${reportId}, 'http://site.test/more/' || n, true FROM generate_series(1, ${more}::integer) n RETURNING id
    ), waiting AS (
      INSERT INTO checks (web_page_id, report_id, payer_id, kind, turn, runnable)
      SELECT id, ${reportId}, ${store.accountId}, 'html', 1, false FROM pages
    ), counted AS (
      UPDATE report_checks SET pending = pending + ${more} WHERE report_id = ${reportId} AND kind = 'html'
    )
    UPDATE reports SET crawl_pending = true, num_pages = num_pages + ${more} WHERE id = ${reportId}`.execute(store.db);
  let mostParameters = 0;
  const counter: KyselyPlugin = {
    transformQuery({ node }) {
      const { parameters } = store.db.getExecutor().compileQuery(node, createQueryId());
      mostParameters = Math.max(mostParameters, parameters.length);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await stopReport(store.db.withPlugin(counter), reportId);
  // A statement can have 65,535 parameters: they must not grow with the number of pages.
  assert.ok(mostParameters > 0 && mostParameters < more, String(mostParameters));
  const { status, checks } = await reportOf(reportId);
  assert.deepEqual([status, checks['html']?.pending, checks['html']?.failed], ['finished', 0, more + 4]);
  await assertCountsAddUp(store.db, reportId);
});
