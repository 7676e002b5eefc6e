import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Collection, getModelId, PureModel } from '@datx/core';
import { config, fetchModelRefLink, getModelRefLinks, jsonapiCollection, jsonapiModel, Response } from '@datx/jsonapi';
import Kitsu from 'kitsu';
import { startApi, type TestApi } from '../helpers/api.ts';
import { HOME, SAMPLE_PAGES, seedSample } from '../helpers/sample-report.ts';

/** Third-party client libraries against the real API: list, follow pages and relationships, create, get errors, delete. */
describe('client libraries', () => {
  let api: TestApi;
  let base: string;
  const urls = SAMPLE_PAGES.map(({ url }) => url);

  before(async () => {
    api = await startApi();
    base = `${api.origin}/api/v1`;
  });
  after(() => api?.close());

  /** Three reports of the stranger, who starts with none. */
  const threeReports = async () => {
    await api.db.deleteFrom('reports').execute();
    const ids: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      ids.push((await seedSample(api.db, { account_id: api.people.strangerId })).reportId);
    }
    return ids.sort();
  };

  test('kitsu', async () => {
    const ids = await threeReports();
    const headers = { Authorization: `Bearer ${api.people.stranger}` };
    const client = new Kitsu({ baseURL: base, headers, resourceCase: 'none', camelCaseTypes: false });

    let page = await client.get('reports', { params: { page: { size: 2 }, sort: '-last_checked_at' } });
    assert.deepEqual(page.meta, { total: 3, page: { number: 1, size: 2, pages: 2 } });
    const found = page.data.map(({ id }: { id: string }) => id);
    while (page.links.next !== undefined) {
      page = await client.request({ url: page.links.next, method: 'GET', body: {}, params: {}, type: '', headers: {} });
      found.push(...page.data.map(({ id }: { id: string }) => id));
    }
    assert.deepEqual(found.sort(), ids);

    const { data: report } = await client.get(`reports/${ids[0]}`);
    assert.equal(report.starting_url, HOME);
    const related = report.web_pages.links.related;
    const pages = await client.request({ url: related, method: 'GET', body: {}, params: {}, type: '', headers: {} });
    assert.deepEqual(
      pages.data.map(({ url }: { url: string }) => url),
      urls,
    );
    const filtered = await client.get(`reports/${ids[0]}/web_pages`, { params: { filter: { url: 'GONE' } } });
    assert.deepEqual(
      filtered.data.map(({ status }: { status: string }) => status),
      ['failed'],
    );

    const made = await client.create('reports', { starting_url: HOME, tags: 'a, b' });
    assert.deepEqual(made.data.tags, ['a', 'b']);
    const shared = await client.update('reports', { id: made.data.id, shared: true });
    assert.equal(shared.data.shared, true);
    await assert.rejects(client.create('reports', { starting_url: 'nonsense', max_pages: 0 }), (error) => {
      assert.ok(error instanceof Error && 'errors' in error && Array.isArray(error.errors));
      const pointers = error.errors.map(({ source }) => source.pointer);
      assert.deepEqual(pointers, ['/data/attributes/max_pages', '/data/attributes/starting_url']);
      return true;
    });
    assert.equal((await client.remove('reports', made.data.id)).status, 204);
    await assert.rejects(client.get(`reports/${made.data.id}`), /404/);
  });

  test('datx', async () => {
    const ids = await threeReports();
    config.baseUrl = `${base}/`;
    const { headers } = config.defaultFetchOptions;
    config.defaultFetchOptions = { headers: { ...headers, Authorization: `Bearer ${api.people.stranger}` } };
    const store = new (class extends jsonapiCollection(Collection) {
      static override types = [Report, WebPage];
    })();

    const found: string[] = [];
    let page = await store.getMany(Report, { queryParams: { custom: [{ key: 'page[size]', value: '2' }] } });
    for (;;) {
      assert.ok(Array.isArray(page.data));
      found.push(...page.data.map((report) => String(getModelId(report))));
      if (page.next === undefined) break;
      page = await page.next();
    }
    assert.deepEqual(found.sort(), ids);

    const report = store.findOne(Report, ids[0] ?? '');
    assert.ok(report);
    assert.equal(report.starting_url, HOME);
    assert.ok(getModelRefLinks(report)['web_pages']);
    const pages = await fetchModelRefLink<WebPage>(report, 'web_pages', 'related');
    assert.ok(Array.isArray(pages.data));
    assert.deepEqual(
      pages.data.map((webPage) => webPage.url),
      urls,
    );

    const made = store.add({ starting_url: 'nonsense' }, Report);
    await assert.rejects(made.save(), (refusal) => {
      assert.ok(refusal instanceof Response && Array.isArray(refusal.error));
      assert.deepEqual(
        refusal.error.map(({ source }) => source?.pointer),
        ['/data/attributes/starting_url'],
      );
      return true;
    });
    made.starting_url = HOME;
    await made.save();
    assert.match(String(getModelId(made)), /^[\da-f-]{36}$/);
    assert.equal(made.domain, 'example.com');
    await made.destroy();
    assert.equal((await api.get(`/api/v1/reports/${getModelId(made)}`, api.people.stranger)).status, 404);
  });

  /** Handles responses as the Ruby gem does (its parser, middleware/status, error collector), without Ruby. */
  test('json_api_client, without Ruby', async () => {
    const ids = await threeReports();
    const headers = { accept: 'application/vnd.api+json', 'content-type': 'application/vnd.api+json' };
    const token = api.people.stranger;
    const run = (method: string, path: string, data?: object) =>
      api.send(method, path, { token, headers, ...(data && { body: { data } }) });

    // `Report.where(url: 'Example').order(last_checked_at: :desc).page(2).per(1)`, as Faraday writes it.
    const query = 'filter%5Burl%5D=Example&page%5Bnumber%5D=2&page%5Bsize%5D=1&sort=-last_checked_at';
    const { document: list } = await run('GET', `/api/v1/reports?${query}`);
    assert.equal(list.data.length, 1);
    // The gem follows every link, and would take a status in `meta` for the status of the response.
    for (const link of Object.values<string>(list.links)) assert.equal((await run('GET', link)).status, 200, link);
    assert.equal(Object.hasOwn(list.meta, 'status'), false);
    assert.equal(new URL(list.links.last).searchParams.get('page[number]'), '3');

    const { document: found } = await run('GET', `/api/v1/reports/${ids[0]}`);
    for (const [name, relationship] of Object.entries<{ links: { related: string } }>(found.data.relationships)) {
      // With `data`, the gem would look in `included` instead of following the link.
      assert.deepEqual(Object.keys(relationship), ['links'], name);
      assert.equal((await run('GET', relationship.links.related)).status, 200, name);
    }

    const attributes = { starting_url: HOME, max_pages: 5 };
    const made = await run('POST', '/api/v1/reports', { type: 'reports', attributes });
    assert.equal(made.status, 201);
    const { id } = made.document.data;
    const changed = await run('PATCH', `/api/v1/reports/${id}`, { id, type: 'reports', attributes: { shared: true } });
    assert.equal(changed.document.data.attributes.shared, true);

    const wrong = { starting_url: 'nonsense', max_pages: 0, tags: 7 };
    const refused = await run('POST', '/api/v1/reports', { type: 'reports', attributes: wrong });
    assert.equal(refused.status, 422);
    for (const { title, detail, source } of refused.document.errors) {
      // The gem keeps title and attribute, and its full message is the attribute in words followed by the title.
      const attribute: string = source.pointer.split('/').at(-1);
      const words = attribute.replaceAll('_', ' ');
      assert.ok(detail.startsWith(`${words.slice(0, 1).toUpperCase()}${words.slice(1)} ${title}`), detail);
    }
    const gone = await run('DELETE', `/api/v1/reports/${id}`);
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assert.deepEqual((await run('GET', `/api/v1/reports/${id}`)).errors, ['404 not_found']);
  });

  test("PHP's HTTP functions", async () => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'WordPress/6.8; https://example.com',
    };
    const body = '{"data":{"attributes":{"starting_url":"https:\\/\\/example.com\\/\\u00fc","tags":"word press"}}}';
    const made = await api.send('POST', '/api/v1/reports', { body, headers });
    assert.equal(made.document.data.attributes.starting_url, 'https://example.com/%C3%BC');
    const query = 'filter%5Btags%5D%5Bmode%5D=all&filter%5Btags%5D%5Blist%5D=word+press&page%5Bsize%5D=100';
    const { document } = await api.get(`/api/v1/reports?${query}`);
    assert.deepEqual(
      document.data.map((report: { id: string }) => report.id),
      [made.document.data.id],
    );
  });
});

class WebPage extends jsonapiModel(PureModel) {
  static override type = 'web_page';
  declare readonly url: string;
}

class Report extends jsonapiModel(PureModel) {
  static override type = 'report';
  static endpoint = 'reports';
  declare starting_url: string;
  declare readonly domain: string;
}
