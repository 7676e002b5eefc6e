import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { API_PREFIX } from '../../src/api/http/links.ts';
import { docsPage } from '../../src/api/openapi/docs-page.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { type JsonSchema, METHODS, type OpenApiDocument, type Operation } from '../../src/api/openapi/openapi.ts';
import { ENDPOINTS } from '../../src/api/resources/endpoints.ts';
import { ENGINES } from '../../src/checks/registry.ts';
import { makeOperator } from '../../src/store/accounts/account-states.ts';
import { type Reply, startApi, type TestApi, testServer } from '../helpers/api.ts';
import { assertConforms } from '../helpers/conformance.ts';
import { bodyWithIds, seedOneOfEach } from '../helpers/one-of-each.ts';
import { seedSamplePath } from '../helpers/sample-report.ts';

/**
 * Examples that fail: the schedule is inactive after the previous ones, the invitation is the account's own, the channel a
 * webhook.
 */
const CONFLICTS = /\/(accept|fire|confirmation|disable)$/;

describe('the OpenAPI document', () => {
  let api: TestApi;
  let document: OpenApiDocument;
  before(async () => {
    api = await startApi();
    await makeOperator(api.db, api.people.ownerId, true);
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

  test('is served without a token, with the URL that the client used', async () => {
    assert.equal(document.openapi, '3.1.0');
    assert.deepEqual(document.servers, [{ url: `${api.origin}${API_PREFIX}` }]);
    assert.deepEqual((await api.send('POST', '/api/v1/openapi.json')).errors, ['405 method_not_allowed']);
  });

  test('begins with what the service checks, who may send requests, and how responses are compressed', () => {
    const { description } = document.info;
    for (const words of [...ENGINES.map((engine) => `${engine.words}`), 'session', 'Zstandard, Brotli or gzip'])
      assert.match(String(description), new RegExp(`\\b${words}\\b`));
  });

  test('is the same for every URL except for the URL itself, and so is the page', async () => {
    for (const [settings, host, base] of [
      [{}, 'one.example', 'http://one.example'],
      [{}, '127.0.0.1:8080', 'http://127.0.0.1:8080'],
      [{}, 'base-url.invalid', 'http://base-url.invalid'],
      [{ baseUrl: "https://two.example/it's&more" }, 'one.example', "https://two.example/it's&more"],
    ] as const) {
      const server = testServer(api.db, settings);
      const expected = openApiDocument(ENDPOINTS, base);
      for (const other of ['other.example', host]) await server.inject({ url: '/api/docs', headers: { host: other } });
      const json = await server.inject({ url: '/api/v1/openapi.json', headers: { host } });
      assert.deepEqual(json.json(), expected);
      const page = await server.inject({ url: '/api/docs', headers: { host } });
      assert.equal(page.body, docsPage(expected));
      await server.close();
    }
  });

  test('has the operations, their parameters and their errors', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ['create_report', 'list_reports', 'get_report_web_page_html_issue'])
      assert.ok(ids.includes(id), id);
    const list = document.paths['/reports']?.get;
    const names = list?.parameters?.map(({ name }) => name) ?? [];
    for (const name of ['page[number]', 'page[size]', 'filter[tags][mode]', 'sort'])
      assert.ok(names.includes(name), name);
    assert.deepEqual(Object.keys(document.paths['/reports']?.post?.responses ?? {}), [
      ...['201', '400', '401', '402', '403', '409', '413', '415', '422', '429', '500', '503'],
    ]);
    assert.equal(document.paths['/reports/{report_id}/common_a11y_issues']?.get?.['x-pro'], true);
  });

  test('is also available as a page, which loads nothing and runs no scripts', async () => {
    const { text, headers } = await api.send('GET', '/api/docs', { token: null });
    for (const { operation } of operations()) assert.ok(text.includes(`id="${operation.operationId}"`));
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-[^']+'; base-uri/);
    assert.doesNotMatch(text, /<script|<link|<img|<iframe|@import|url\(|\son\w+=|undefined|\[object/i);
    assert.doesNotMatch(text, /(src|href)="(?!#|v1\/openapi\.json|https:\/\/jsonapi\.org\/)/);
  });

  test('its curl commands work unchanged', async () => {
    const values = await seedOneOfEach(api.db, { accountId: api.people.ownerId, isShared: true });
    const { text } = await api.send('GET', '/api/docs', { token: null });
    const commands = [...text.matchAll(/<code>(curl [^<]*)<\/code>/g)].map(([, html = '']) =>
      html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
    );
    const filtered = commands.filter((command) => /^curl -g "[^"]+\?filter\[/.test(command));
    const hasFilter = ({ operation }: { operation: Operation }) =>
      operation.parameters?.some(({ name, schema }) => name.startsWith('filter[') && schema.examples !== undefined);
    assert.equal(filtered.length, operations().filter(hasFilter).length);
    assert.equal(commands.length, operations().length + filtered.length);
    for (const [variable] of commands.join().matchAll(/\$[A-Z0-9_]+/g)) {
      assert.ok(
        text.includes(`<dt><code>${variable}</code></dt>`),
        `the page does not say where ${variable} comes from`,
      );
    }
    const variables = Object.entries({ ...values, api_token: api.people.owner }).map(
      ([name, value]) => [name.toUpperCase(), String(value)] as const,
    );
    // The commands as the shell parses them: arguments end in NUL, and an empty one follows each command.
    const script = `curl() { printf '%s\\0' "$@"; printf '\\0'; }\n${commands.join('\n')}`;
    const output = execFileSync('sh', ['-euc', script], { encoding: 'utf8', env: Object.fromEntries(variables) });
    for (const line of output.split('\0\0').slice(0, -1)) {
      const { values: options, positionals } = parseArgs({
        args: line.split('\0'),
        allowPositionals: true,
        options: {
          request: { type: 'string', short: 'X', default: 'GET' },
          header: { type: 'string', short: 'H', multiple: true, default: [] },
          data: { type: 'string', short: 'd' },
          globoff: { type: 'boolean', short: 'g' },
        },
      });
      const headers = Object.fromEntries(options.header.map((header) => header.split(': ')));
      // The page says that these take the secret of a share link.
      const [, ofSites] = /\/share(\/sites.*)?$/.exec(positionals[0] ?? '') ?? [];
      const secret = ofSites === undefined ? 'share_secret' : 'site_share_secret';
      if (/\/share(\/sites.*)?$/.test(positionals[0] ?? '')) headers['Authorization'] = `Bearer ${values[secret]}`;
      // Operations that remove other resources are not executed.
      const method = options.request === 'DELETE' ? 'GET' : options.request;
      const body = options.data && JSON.stringify(bodyWithIds(JSON.parse(options.data), values));
      const reply = await api.send(method, positionals[0] ?? '', { token: null, headers, body });
      const expected = CONFLICTS.test(positionals[0] ?? '') ? /^409$/ : /^20[0-2]$/;
      assert.match(String(reply.status), expected, `${line.replaceAll('\0', ' ')}\n${reply.text}`);
    }
  });

  test('describes everything', () => {
    const silent: string[] = [];
    const look = (schema: JsonSchema, path: string): void => {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        // Referenced schemas are described where they are; each relationship needs its own description.
        const isElsewhere = property.$ref !== undefined && !property.$ref.endsWith('/Relationship');
        if (!property.description && !isElsewhere) silent.push(`${path}.${name}`);
        look(property, `${path}.${name}`);
      }
      for (const part of [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])])
        look(part, path);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (!schema.description) silent.push(name);
      const { attributes, relationships } = schema.properties ?? {};
      for (const part of attributes === undefined ? [schema] : [attributes, relationships ?? {}]) look(part, name);
    }
    for (const { operation } of operations()) {
      const { operationId: id, parameters = [], requestBody } = operation;
      if (!operation.description) silent.push(id);
      for (const { name, description } of parameters) if (!description) silent.push(`${id}?${name}`);
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        look(schema.properties?.['data']?.properties?.['attributes'] ?? {}, id);
    }
    for (const tag of document.tags) if (!tag.description) silent.push(tag.name);
    assert.deepEqual(silent, []);
  });

  test('its examples of responses match its schemas', () => {
    const examples = operations().flatMap(({ method, path, item, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const content = 'content' in response ? Object.entries(response.content ?? {})[0] : undefined;
        if (content?.[1].example === undefined) return [];
        const headers = { 'content-type': content[0], location: 'somewhere' };
        const prefix = item.servers === undefined ? API_PREFIX : '';
        assertConforms(method.toUpperCase(), prefix + path, {
          status: Number(status),
          headers,
          document: content[1].example,
        });
        return [operation.operationId];
      }),
    );
    const answering = operations().filter(
      ({ method, path }) => method !== 'delete' && !/^\/(health|openapi|schemas)|\/export$/.test(path),
    );
    assert.equal(examples.length, answering.length);
    // They lead to URLs of the API.
    for (const [address] of JSON.stringify(document.paths).matchAll(/(?<="(?:self|related)":")[^"]+/g)) {
      const path = new URL(address).pathname.slice(API_PREFIX.length);
      assert.ok(
        ENDPOINTS.some((endpoint) => new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)),
        path,
      );
    }
  });

  test('is found at the usual paths', async () => {
    for (const path of ['/api', '/api/v1', '/api/docs/']) {
      const { status, headers } = await api.send('GET', path, { token: null });
      assert.deepEqual([status, headers['location']], [302, `${api.origin}/api/docs`], path);
    }
  });

  test('every example is accepted', async () => {
    const seed = () => seedOneOfEach(api.db, { accountId: api.people.ownerId });
    const kept = await seed();
    const sent: string[] = [];
    for (const { method, path, operation } of operations()) {
      for (const [mediaType, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
        // It removes the site, and there is a request for each media type.
        const values = operation.operationId === 'merge_site' ? await seed() : kept;
        const address = API_PREFIX + path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
        const reply = await api.send(method.toUpperCase(), address, {
          body: bodyWithIds(example, values),
          headers: { 'content-type': mediaType },
        });
        assert.ok(reply.status < 300, `${operation.operationId}: ${reply.text}`);
        sent.push(operation.operationId);
        // An address has one account.
        await sql`UPDATE accounts SET email = id || '@example.com' WHERE email = 'ada@example.com'`.execute(api.db);
      }
    }
    assert.ok(sent.includes('create_report') && sent.includes('update_report_web_page'));
  });

  test('a response that differs from it fails the test that received it', async () => {
    const path = await seedSamplePath(api);
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
