import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parsePlanLimits } from '../../src/accounts/plans.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { HOME, seedSample } from '../helpers/sample-report.ts';

describe('plans', () => {
  let api: TestApi;
  let report: string;
  let page: string;
  before(async () => {
    api = await startApi({ planLimits: parsePlanLimits('max_pages=20000, free.max_pages=9, free.rate_limit=2') });
    const { reportId, pageIds } = await seedSample(api.db, { account_id: api.people.freeId });
    report = `/api/v1/reports/${reportId}`;
    page = `${report}/web_pages/${pageIds.get(HOME)}`;
  });
  after(() => api?.close());

  const create = (attributes: object, token = api.people.free) =>
    api.send('POST', '/api/v1/reports', { token, attributes: { starting_url: HOME, ...attributes } });

  const ASKS_FOR_PRO: Readonly<Record<string, unknown>> = {
    dynamic_crawler: true,
    initial_urls: `${HOME}extra`,
    inclusions: '/shop/',
    exclusions: '/private',
    device_id: '6f1d2a3b-0000-4000-8000-000000000000',
    device_rotated: true,
    wait_for: 'main',
    journeys: [{ name: 'Start', steps: [{ open: '/' }, { check: 'Start' }] }],
    only_journeys: true,
    perform_a11y_checks: true,
    store_raw_html_checks: true,
    store_raw_a11y_checks: true,
  };

  test('each Pro attribute is rejected on the free plan, and accepted with its default', async () => {
    for (const [name, value] of Object.entries(ASKS_FOR_PRO)) {
      const reply = await create({ [name]: value });
      assert.deepEqual(reply.errors, [`403 pro_required /data/attributes/${name}`], reply.text);
      const blanks =
        name === 'device_id'
          ? ['', null, 'default', ' default ']
          : [Array.isArray(value) ? [] : typeof value === 'string' ? ' \n' : false];
      for (const blank of blanks) {
        assert.equal((await create({ [name]: blank })).status, 201, `${name}: ${JSON.stringify(blank)}`);
      }
    }
  });

  test('all Pro attributes are reported at once, before any other problem', async () => {
    const invalid = { max_pages: 0, colour: 'red', tags: 5 };
    const reply = await create({ ...ASKS_FOR_PRO, ...invalid });
    assert.deepEqual(
      reply.errors,
      // In the order of the schema.
      Object.keys(ASKS_FOR_PRO).map((name) => `403 pro_required /data/attributes/${name}`),
    );
    assert.equal(reply.document.errors[0].detail, 'Dynamic crawler requires a Pro or Enterprise plan');
    assert.deepEqual((await create({ device_rotated: 'yes', ...invalid })).errors, [
      '403 pro_required /data/attributes/device_rotated',
    ]);
    assert.deepEqual((await create(invalid)).errors.length, 3);
    assert.equal((await create({ initial_urls: [], inclusions: [], exclusions: [] })).status, 201);
    assert.deepEqual((await create({ exclusions: ['/private'] })).errors, [
      '403 pro_required /data/attributes/exclusions',
    ]);
  });

  test('a plan allows the configured pages and rate', async () => {
    assert.equal((await create({ max_pages: 9, rate_limit: 2 })).status, 201);
    // The contract's default is 10.
    assert.equal((await create({})).document.data.attributes.max_pages, 9);
    for (const [max_pages, rate_limit] of [
      [10, 3],
      ['9', 0],
    ]) {
      const reply = await create({ max_pages, rate_limit });
      assert.deepEqual(
        reply.document.errors.map(({ detail }: { detail: string }) => detail),
        ['Max pages must be a whole number from 1 to 9', 'Rate limit must be a whole number from 1 to 2'],
      );
    }
    const { owner } = api.people;
    const accepted = await create({ max_pages: 20_000, rate_limit: 100 }, owner);
    assert.equal(accepted.document.data.attributes.max_pages, 20_000);
    assert.deepEqual((await create({ max_pages: 20_001, rate_limit: 101 }, owner)).errors, [
      '422 invalid /data/attributes/max_pages',
      '422 invalid /data/attributes/rate_limit',
    ]);
  });

  test('Pro query parameters are rejected with any value but the default', async () => {
    const errors = async (query: string) => (await api.get(`/api/v1/reports?${query}`, api.people.free)).errors;
    assert.deepEqual(await errors('created_by=me'), []);
    assert.deepEqual(await errors('created_by=all'), ['403 pro_required created_by']);
    assert.deepEqual(await errors('created_by=guests&guest_token=G012345678&filter[schedule_id]=1'), [
      '403 pro_required filter[schedule_id]',
      '403 pro_required created_by',
      '403 pro_required guest_token',
    ]);
    assert.deepEqual(await errors('created_by=nonsense'), ['400 invalid_parameter created_by']);
    assert.deepEqual(await errors('sort=url-asc,-a11y_errors'), []);
    const pages = await api.get(`${report}/web_pages?filter[common_a11y_issue_id]=1`, api.people.free);
    assert.deepEqual(pages.errors, ['403 pro_required filter[common_a11y_issue_id]']);
  });

  test('a Pro endpoint says so, even if its path names nothing', async () => {
    const paths = [
      `${report}/common_a11y_issues`,
      `${page}/a11y_issues`,
      '/api/v1/reports/00000000-0000-4000-8000-000000000000/common_a11y_issues',
      '/api/v1/reports/nonsense/common_a11y_issues/0?page[size]=0',
    ];
    for (const path of paths) {
      const reply = await api.get(path, api.people.free);
      assert.deepEqual(reply.errors, ['403 pro_required'], path);
      assert.equal(reply.document.errors[0].detail, 'This endpoint requires a Pro or Enterprise plan.');
    }
    assert.deepEqual((await api.send('DELETE', page, { token: api.people.free })).errors, ['403 pro_required']);
    assert.equal((await api.get(page, api.people.free)).status, 200);
  });

  test('without Pro features nothing shows accessibility checks, not even shared reports', async () => {
    const shared = await seedSample(api.db, { account_id: api.people.ownerId, shared: true });
    const sharedReport = `/api/v1/reports/${shared.reportId}`;
    for (const path of [report, sharedReport]) {
      const { attributes, relationships } = (await api.get(path, api.people.free)).document.data;
      assert.deepEqual([attributes.perform_a11y_checks, attributes.checks.a11y], [false, null]);
      assert.equal(attributes.checks.html.issues.errors, 4);
      // It would count pages that fail only for accessibility.
      assert.equal(attributes.fix_effect, null);
      assert.deepEqual(Object.keys(relationships), [
        'web_pages',
        'common_html_issues',
        ...(path === report ? ['site'] : []),
        'excluded_urls',
        'discovered_urls',
        'changes',
        'fixes',
      ]);
      const [first, second] = await api.walk(relationships.web_pages.links.related, api.people.free);
      assert.equal(first?.attributes.a11y_check, null);
      assert.equal(first?.attributes.html_check.status, 'checked');
      assert.deepEqual(Object.keys(first?.relationships), ['report', 'html_issues']);
      // With accessibility checks it would be checking.
      assert.equal(second?.attributes.status, 'checked');
      for (const [status, pages] of Object.entries({ pending: 0, checking: 0, checked: 2, failed: 1 })) {
        const found = await api.walk(`${path}/web_pages?filter[status]=${status}`, api.people.free);
        assert.deepEqual(
          found.map((item) => item.attributes.status),
          Array.from({ length: pages }, () => status),
        );
      }
    }
    const [listed] = await api.walk('/api/v1/reports?sort=num_web_pages-desc', api.people.free);
    assert.equal(listed?.attributes.checks.a11y, null);
    const { attributes } = (await api.get(sharedReport)).document.data;
    assert.equal(attributes.checks.a11y.issues.errors, 3);
  });

  test('the order of reports does not reveal accessibility checks', async () => {
    const { reportId } = await seedSample(api.db, { account_id: api.people.freeId });
    await api.db
      .updateTable('report_checks')
      .set({ errors: 1 })
      .where('report_id', '=', reportId)
      .where('kind', '=', 'a11y')
      .execute();
    const sorted = async (direction: string) => {
      const found = await api.walk(`/api/v1/reports?sort=a11y_errors-${direction}`, api.people.free);
      return found.map(({ id }) => id);
    };
    const ids = await sorted('asc');
    assert(ids.length > 1);
    assert.deepEqual(await sorted('desc'), ids);
  });
});
