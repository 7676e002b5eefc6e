import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { DEFAULT_LIMITS } from '../../src/accounts/plans.ts';
import { failedPage } from '../../src/domain/fetched-page.ts';
import { DEFAULT_DEFINITION } from '../../src/domain/report-definition.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { claimCrawl } from '../../src/queue/claims.ts';
import { runDueSchedule } from '../../src/schedules/run-schedule.ts';
import { documentPage } from '../../src/spider/fetch-page.ts';
import { recheckPages } from '../../src/store/rechecks/page-recheck.ts';
import { saveCrawlProgress } from '../../src/store/reports/crawl-progress.ts';
import { siteFor } from '../../src/store/reports/sites.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { ANSWERED_404 } from '../helpers/failures.ts';

const SITE = { starting_url: 'https://every-way.test/', max_pages: 7 };
const WORKER = 1_000_000;

describe('every way of creating a report', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const post = async (path: string, token: string | null, attributes?: object): Promise<string> => {
    const reply = await api.send('POST', path, { token, ...(attributes && { attributes }) });
    assert.ok([201, 202].includes(reply.status), reply.text);
    return reply.document.data.id;
  };
  const runDue = () =>
    runDueSchedule(
      {
        ...{ db: api.db, credentialStore, clock: systemClock, scheduleTimeMs: 0, planLimits: DEFAULT_LIMITS },
        ...{ log: pino({ level: 'silent' }), onPutOff: (_: string, reason: unknown) => assert.fail(String(reason)) },
      },
      [],
    );
  /** A schedule with its deploy hook, which is due. */
  const newSchedule = async (token: string) => {
    const attributes = { ...SITE, periodicity: { every: 'day' } };
    const reply = await api.send('POST', '/api/v1/schedules', { token, attributes });
    assert.equal(reply.status, 201, reply.text);
    const { id, attributes: own } = reply.document.data;
    await api.db
      .updateTable('schedules')
      .set({ next_run_at: new Date(0) })
      .where('id', '=', id)
      .execute();
    return { id, hook: own.deploy_hook_url };
  };
  const createInEveryWay = async (token: string): Promise<void> => {
    await post('/api/v1/reports', token, SITE);
    const { id, hook } = await newSchedule(token);
    await post(hook, null);
    await post(`/api/v1/schedules/${id}/runs`, token);
    assert.equal(await runDue(), true);
  };
  const reportsOf = (accountId: string) =>
    api.db.selectFrom('reports').select(['id', 'payer_id', 'site_id']).where('account_id', '=', accountId).execute();
  const siteOf = (accountId: string) => {
    const settings = { definition: { ...DEFAULT_DEFINITION, ...SITE }, seal: () => null, signsIn: false };
    return api.db.transaction().execute((trx) => siteFor(trx, accountId, settings));
  };

  test('stores its payer (the host of a guest, or the account), and the same site', async () => {
    const { ownerId, guestId, strangerId, guest, stranger } = api.people;
    for (const [accountId, token, payerId] of [
      [guestId, guest, ownerId],
      [strangerId, stranger, strangerId],
    ] as const) {
      await createInEveryWay(token);
      const reports = await reportsOf(accountId);
      assert.equal(reports.length, 4);
      const siteId = await siteOf(accountId);
      for (const report of reports) assert.deepEqual(report, { id: report.id, payer_id: payerId, site_id: siteId });
    }
  });

  test('stores its payer for all checks: of pages with a document, of other pages, and when they are repeated', async () => {
    const { ownerId, guest } = api.people;
    await api.db.deleteFrom('reports').execute();
    const reportId = await post('/api/v1/reports', guest, SITE);
    const claim = await claimCrawl(api.db, WORKER);
    assert.equal(claim?.reportId, reportId);
    const url = SITE.starting_url;
    const body = Buffer.from('<!DOCTYPE html><title>Home</title>');
    const content = await documentPage({ url, httpStatus: 200, contentType: 'text/html', headers: [], body });
    const gone = failedPage(ANSWERED_404, { httpStatus: 404 });
    const pages = [
      { url, linkedFrom: null, turn: 1, content },
      { url: `${url}gone`, linkedFrom: url, turn: 2, content: gone },
    ];
    await saveCrawlProgress(api.db, claim, { pages, discovered: [] });
    const checks = () => api.db.selectFrom('checks').select(['status', 'payer_id']).orderBy('turn').execute();
    assert.deepEqual(await checks(), [
      { status: 'pending', payer_id: ownerId },
      { status: 'failed', payer_id: ownerId },
    ]);
    const rows = await api.db.selectFrom('web_pages').select('id').where('report_id', '=', reportId).execute();
    await recheckPages(api.db, reportId, { webPageIds: rows.map(({ id }) => id) });
    assert.deepEqual(await checks(), [
      { status: 'pending', payer_id: ownerId },
      { status: 'pending', payer_id: ownerId },
    ]);
  });
});
