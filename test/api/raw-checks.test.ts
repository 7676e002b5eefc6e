import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';
import { A11Y_RAW, ABOUT, HOME, HTML_RAW, seedSample } from '../helpers/sample-report.ts';
import { seedReport } from '../helpers/seed.ts';

describe('raw checks', () => {
  let api: TestApi;
  let pages: string;
  let pageIds: ReadonlyMap<string, number>;
  before(async () => {
    api = await startApi();
    const sample = await seedSample(api.db, { account_id: api.people.ownerId });
    pages = `/api/v1/reports/${sample.reportId}/web_pages`;
    pageIds = sample.pageIds;
  });
  after(() => api?.close());

  test("GET returns the engines' unchanged output", async () => {
    const { relationships } = (await api.get(`${pages}/${pageIds.get(HOME)}`)).document.data;
    for (const [kind, raw] of Object.entries({ html: HTML_RAW, a11y: A11Y_RAW })) {
      const link = relationships[`raw_${kind}_check`].links.related;
      const reply = await api.get(link);
      assert.equal(reply.status, 200, reply.text);
      const { data } = reply.document;
      assert.equal(data.type, 'raw_check');
      assert.match(data.id, /^[1-9]\d*$/);
      assert.deepEqual(data.attributes, { kind, raw, omitted: 0 });
      assert.equal(data.links.self, link);
    }
  });

  test('a page whose check has not run has none', async () => {
    const page = `${pages}/${pageIds.get(ABOUT)}`;
    assert.ok('raw_a11y_check' in (await api.get(page)).document.data.relationships);
    assert.deepEqual((await api.get(`${page}/raw_a11y_check`)).errors, ['404 not_found']);
  });

  test('a report that does not store them has none, and no links to them', async () => {
    const status = 'checked';
    const checks = { html: { status }, a11y: { status } } as const;
    const other = await seedReport(
      api.db,
      { account_id: api.people.ownerId },
      ['html', 'a11y'],
      [{ url: HOME, checks }],
    );
    const page = `/api/v1/reports/${other.reportId}/web_pages/${other.pageIds.get(HOME)}`;
    const { relationships } = (await api.get(page)).document.data;
    assert.deepEqual(Object.keys(relationships), ['report', 'html_issues', 'a11y_issues']);
    for (const kind of ['html', 'a11y']) {
      assert.deepEqual((await api.get(`${page}/raw_${kind}_check`)).errors, ['404 not_found']);
    }
  });

  test('the plan of the requester decides whether there are links to them', async () => {
    const shared = await seedSample(api.db, { account_id: api.people.ownerId, shared: true });
    const page = `/api/v1/reports/${shared.reportId}/web_pages/${shared.pageIds.get(HOME)}`;
    const { relationships } = (await api.get(page, api.people.free)).document.data;
    assert.deepEqual(Object.keys(relationships), ['report', 'html_issues']);
  });

  test('POST stores the given kinds', async () => {
    const attributes = { starting_url: HOME, perform_a11y_checks: true, store_raw_a11y_checks: true };
    const { document } = await api.send('POST', '/api/v1/reports', { attributes });
    const checks = await api.db
      .selectFrom('report_checks')
      .select(['kind', 'store_raw'])
      .where('report_id', '=', document.data.id)
      .orderBy('kind')
      .execute();
    assert.deepEqual(checks, [
      { kind: 'a11y', store_raw: true },
      { kind: 'html', store_raw: false },
    ]);
  });
});
