import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { API_PREFIX } from '../../src/api/links.ts';
import { METHODS, type OpenApiDocument } from '../../src/api/openapi/openapi.ts';
import { type Reply, startApi, type TestApi } from '../helpers/api.ts';
import { assertConforms } from '../helpers/conformance.ts';
import { seedOneOfEach } from '../helpers/one-of-each.ts';
import { seedSample } from '../helpers/sample-report.ts';

describe('the OpenAPI document', () => {
  let api: TestApi;
  let document: OpenApiDocument;
  before(async () => {
    api = await startApi();
    document = (await api.send('GET', '/api/v1/openapi.json', { token: null })).document;
  });
  after(() => api?.close());

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.flatMap((method) => {
        const operation = item[method];
        return operation === undefined ? [] : [{ method, path, item, operation }];
      }),
    );

  test('is served without a token, with the address that the client used', async () => {
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(document.servers, [{ url: `${api.origin}${API_PREFIX}` }]);
    assert.deepEqual((await api.send('POST', '/api/v1/openapi.json')).errors, ['405 method_not_allowed']);
  });

  test('knows the operations, their parameters and their errors', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ['create_report', 'list_reports', 'get_report_web_page_html_issue'])
      assert.ok(ids.includes(id), id);
    const list = document.paths['/reports']?.get;
    const names = list?.parameters?.map(({ name }) => name) ?? [];
    for (const name of ['page[number]', 'page[size]', 'filter[tags][mode]', 'sort'])
      assert.ok(names.includes(name), name);
    assert.deepEqual(Object.keys(document.paths['/reports']?.post?.responses ?? {}), [
      ...['201', '400', '401', '402', '403', '409', '413', '415', '422', '429', '500'],
    ]);
    assert.equal(document.paths['/reports/{report_id}/common_a11y_issues']?.get?.['x-pro'], true);
  });

  test('is shown to people, too, on a page that loads nothing and runs nothing', async () => {
    const { text, headers } = await api.send('GET', '/api/docs', { token: null });
    for (const { operation } of operations()) assert.ok(text.includes(`id="${operation.operationId}"`));
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-[^']+'; base-uri/);
    assert.doesNotMatch(text, /<script|<link|<img|<iframe|@import|url\(|\son\w+=|undefined|\[object/i);
    assert.doesNotMatch(text, /(src|href)="(?!#|v1\/openapi\.json|https:\/\/jsonapi\.org\/)/);
    assert.ok(text.includes(`curl &#39;${api.origin}/api/v1/reports&#39;`));
  });

  test('is where people look for it', async () => {
    for (const path of ['/', '/api', '/api/v1', '/api/docs/']) {
      const { status, headers } = await api.send('GET', path, { token: null });
      assert.deepEqual([status, headers['location']], [302, `${api.origin}/api/docs`], path);
    }
  });

  test('every example is accepted', async () => {
    const values = await seedOneOfEach(api.db, { accountId: api.people.ownerId });
    const sent: string[] = [];
    for (const { method, path, operation } of operations()) {
      for (const [mediaType, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
        const address = API_PREFIX + path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
        const reply = await api.send(method.toUpperCase(), address, {
          body: example,
          headers: { 'content-type': mediaType },
        });
        assert.ok(reply.status < 300, `${operation.operationId}: ${reply.text}`);
        sent.push(operation.operationId);
      }
    }
    assert.ok(sent.includes('create_report') && sent.includes('update_report_web_page'));
  });

  test('an answer that differs from it fails the test that got it', async () => {
    const path = `/api/v1/reports/${(await seedSample(api.db, { account_id: api.people.ownerId })).reportId}`;
    const reply = await api.get(path);
    const differs = (change: Partial<Reply>): void => {
      assert.throws(() => assertConforms('GET', path, { ...reply, ...change }), /OpenAPI document/);
    };
    const edited = (from: string, to: string): Partial<Reply> => {
      assert.ok(reply.text.includes(from));
      return { document: JSON.parse(reply.text.replace(from, to)) };
    };
    assertConforms('GET', path, reply);
    differs({ status: 418 });
    differs({ headers: {} });
    differs(edited('"shared":', '"invented":1,"shared":'));
    differs(edited('"errors":', '"faults":'));
    differs(edited('"version":"1.0"', '"version":"1.1"'));
    differs(edited(`"id":"${reply.document.data.id}"`, '"id":7'));
    differs(edited('"excluded_urls":', '"excluded":'));
  });
});
