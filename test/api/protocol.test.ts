import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { seedSample, seedSamplePath } from '../helpers/sample-report.ts';

const VALID = { data: { attributes: { starting_url: 'https://example.com/' } } };

describe('protocol', () => {
  let api: TestApi;
  let report: string;
  before(async () => {
    api = await startApi();
    report = await seedSamplePath(api);
  });
  after(() => api?.close());

  const post = async (body: unknown, headers: Record<string, string> = {}) => {
    const reply = await api.send('POST', '/api/v1/reports', { body, headers });
    return reply.errors[0] ?? reply.status;
  };

  test('both media types are accepted, with or without parameters; others are not', async () => {
    const types = [
      'application/json',
      'application/vnd.api+json',
      'Application/JSON; charset=utf-8',
      'application/json;',
    ];
    for (const type of types) assert.equal(await post(VALID, { 'content-type': type }), 201, type);
    const others = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'json',
      '',
      'text/html;a=b',
    ];
    for (const type of others) {
      assert.equal(await post(VALID, { 'content-type': type }), '415 unsupported_media_type', type);
    }
    assert.equal(await post(VALID, { 'content-encoding': 'gzip' }), '415 unsupported_media_type');
    assert.equal(await post(VALID, { 'content-encoding': 'identity' }), 201);
  });

  test('a body that is not JSON is rejected', async () => {
    const deep = 100_000;
    const broken = ['', '{', 'nonsense', '{"data":}', Buffer.from([0x7b, 0xff, 0x7d]), '\0', '['.repeat(deep)];
    for (const body of broken) assert.equal(await post(body), '400 invalid_json', String(body).slice(0, 20));
    assert.equal(await post(undefined), '400 invalid_json');
    assert.equal(await post(`${'['.repeat(deep)}${']'.repeat(deep)}`), '400 invalid_request /data');
    assert.equal(await post(Buffer.from(`\ufeff${JSON.stringify(VALID)}`)), 201);
  });

  test('a body without attributes is rejected', async () => {
    for (const body of [[], null, 1, '"text"', {}, { data: null }, { data: [] }, { data: 'x' }]) {
      assert.equal(await post(body === null ? 'null' : body), '400 invalid_request /data', JSON.stringify(body));
    }
    for (const attributes of [undefined, null, [], 'x', 1]) {
      assert.equal(await post({ data: { attributes } }), '400 invalid_request /data/attributes');
    }
  });

  test('type and id in the body must be right if they are given', async () => {
    for (const type of ['report', 'reports']) assert.equal(await post({ data: { ...VALID.data, type } }), 201);
    for (const type of ['Report', 'web_page', '', null, 1, ['report']]) {
      assert.equal(await post({ data: { ...VALID.data, type } }), '409 conflict /data/type', String(type));
    }
    assert.equal(await post({ data: { ...VALID.data, id: '' } }), 201);
    const patch = async (data: object) => {
      const reply = await api.send('PATCH', report, { body: { data: { attributes: { shared: false }, ...data } } });
      return reply.errors[0] ?? reply.status;
    };
    assert.equal(await patch({ id: report.slice(-36), type: 'reports', links: {}, relationships: {} }), 200);
    for (const id of ['', '1', null, 7, {}, '00000000-0000-4000-8000-000000000000']) {
      assert.equal(await patch({ id }), '409 conflict /data/id', String(id));
    }
  });

  test('a body over 1 MiB is rejected, and the client gets the response', async () => {
    const fill = (bytes: number) => JSON.stringify({ ...VALID, fill: '' }).replace('""', `"${'x'.repeat(bytes)}"`);
    const overhead = Buffer.byteLength(fill(0));
    assert.equal(await post(fill(1_048_576 - overhead)), 201);
    assert.equal(await post(fill(1_048_577 - overhead)), '413 payload_too_large');
    assert.equal(await post(fill(30_000_000)), '413 payload_too_large');
    assert.equal(await post(fill(3_000_000), { 'transfer-encoding': 'chunked' }), '413 payload_too_large');
  });

  test('a body with many mistakes gets the first hundred errors, with long names shortened', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`unknown_${index}`, 1]));
    const long = `${'n'.repeat(100_000)}!`;
    const bodies = [
      { [long]: 1, ...unknown },
      { starting_url: 'https://example.com/', headers: { [long]: 1, ...unknown } },
    ];
    for (const attributes of bodies) {
      const reply = await api.send('POST', '/api/v1/reports', { attributes });
      assert.equal(reply.status, 422);
      assert.equal(reply.errors.length, 100);
      assert.match(reply.document.errors.map((error: { detail: string }) => error.detail).join('\n'), /N*n{40,}…n+!/i);
      assert.ok(reply.text.length < 100_000, String(reply.text.length));
    }
    const query = await api.get(`/api/v1/reports?filter[${'n'.repeat(8_000)}]=1`);
    assert.equal(query.status, 400);
    assert.ok(query.text.length < 2_000);
  });

  test('the body of a GET or DELETE is ignored', async () => {
    for (const headers of [{ 'content-type': 'nonsense' }, { 'content-type': 'application/json' }]) {
      for (const body of ['{', 'x'.repeat(2_000_000)]) {
        assert.equal((await api.send('GET', report, { body, headers })).status, 200);
        const victim = await seedSample(api.db, { account_id: api.people.ownerId });
        const reply = await api.send('DELETE', `/api/v1/reports/${victim.reportId}`, { body, headers });
        assert.equal(reply.status, 204, reply.text);
      }
    }
  });

  test('HEAD responds like GET, without content', async () => {
    for (const path of [report, '/api/v1/reports', '/health/live', '/metrics']) {
      const got = await api.get(path);
      const head = await api.send('HEAD', path);
      assert.equal(head.status, 200, path);
      assert.equal(head.text, '');
      assert.equal(head.headers['content-type'], got.headers['content-type']);
    }
    assert.equal((await api.send('HEAD', `${report}0`)).status, 404);
    assert.equal((await api.send('HEAD', report, { token: null })).status, 401);
  });

  test('a known path with another method is 405 with the allowed methods, an unknown path is 404', async () => {
    const allowed: [path: string, allow: string, others: string[]][] = [
      ['/api/v1/reports', 'POST, GET, HEAD', ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE']],
      [report, 'GET, HEAD, PATCH, DELETE', ['POST', 'PUT']],
      [`${report}/excluded_urls`, 'GET, HEAD', ['POST', 'DELETE']],
      ['/health/live', 'GET, HEAD', ['POST']],
      ['/api/docs', 'GET, HEAD', ['POST', 'PROPFIND']],
      ['/', 'GET, HEAD', ['DELETE']],
      ['/invitations/x', 'GET, HEAD', ['PUT']],
      ['/schedule/x/y/fire', 'POST', ['GET', 'PATCH']],
    ];
    for (const [path, allow, others] of allowed) {
      for (const method of others) {
        const reply = await api.send(method, `${path}?x=%zz`, { body: '{', headers: { 'content-type': 'nonsense' } });
        assert.deepEqual(reply.errors, ['405 method_not_allowed'], `${method} ${path}`);
        assert.equal(reply.headers['allow'], allow);
      }
    }
    for (const path of [
      '/apis',
      '/api/v2',
      '/api/v2/reports',
      '/api/v1/report',
      `${report}/`,
      '//',
      '/API/V1/reports',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE', 'PROPFIND']) {
        const reply = await api.send(method, path, method === 'GET' ? {} : { body: '{' });
        assert.deepEqual(reply.errors, ['404 not_found'], `${method} ${path}`);
        assert.equal(reply.headers['content-type'], 'application/vnd.api+json');
      }
    }
  });

  test('an invalid URL is rejected with an error document', async () => {
    for (const path of ['/%', '/api/v1/%zz', `/api/v1/reports/%ff`]) {
      assert.deepEqual((await api.get(path)).errors, ['400 invalid_request'], path);
    }
    for (const id of ['%00', 'x'.repeat(5_000), '..%2F..', '*']) {
      assert.deepEqual((await api.get(`/api/v1/reports/${id}`)).errors, ['404 not_found'], id.slice(0, 9));
    }
  });

  test('input that is not HTTP gets an error document, and the server continues', async () => {
    const { port } = new URL(api.origin);
    const talk = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket.on('data', (data) => {
          answer += data;
        });
        socket.on('end', () => resolve(answer));
        socket.on('error', reject);
      });
    const refused = await talk('nonsense\r\n\r\n');
    assert.match(refused, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(refused, /"code":"invalid_request"/);
    const head = `GET /health/live HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`;
    assert.match(await talk(head), /^HTTP\/1\.1 431 /);
    assert.match(await talk('GET /api/v1/reports?filter[url]=\xe9 HTTP/1.1\r\nhost: x\r\n\r\n'), /^HTTP\/1\.1 400 /);
    assert.equal((await api.get('/health/live')).status, 200);
  });

  test('an unfinished request does not keep a closing server alive', { timeout: 40_000 }, async () => {
    const server = testServer(api.db, {});
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const head = `POST /api/v1/reports HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.people.owner}\r\ncontent-type: application/json\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}content-length: 1000\r\n\r\n{`));
    const cut = once(socket, 'close');
    await once(server.server, 'request');
    await server.close();
    await cut;
  });

  test('an internal error shows an id that is also in the log, and nothing else', async () => {
    await sql`ALTER TABLE excluded_urls RENAME TO hidden`.execute(api.db);
    const reply = await api.get(`${report}/excluded_urls`);
    await sql`ALTER TABLE hidden RENAME TO excluded_urls`.execute(api.db);
    assert.deepEqual(reply.errors, ['500 internal']);
    const [error] = reply.document.errors;
    assert.ok(error.detail.includes(error.id));
    assert.doesNotMatch(reply.text, /excluded_urls|stack|\.ts|SQL/i);
    const line = api.logLines.find((text) => text.includes(error.id));
    assert.match(line ?? '', /relation .*excluded_urls.* does not exist/);
    assert.equal((await api.get(`${report}/excluded_urls`)).status, 200);
  });

  test('a request has an id in its response, its errors and the log, where only routine requests are debug lines', async () => {
    const lineOf = (id: unknown) => {
      const lines = api.logLines.map((line) => JSON.parse(line));
      return lines.find(({ msg, requestId }) => msg === 'request' && requestId === id);
    };
    const given = await api.send('GET', report, { headers: { 'x-request-id': 'trace:1' } });
    assert.equal(given.headers['x-request-id'], 'trace:1');
    const { level, method, path, status, address, accountId, tokenId } = lineOf('trace:1');
    assert.deepEqual([level, method, path, status, address], [30, 'GET', report, 200, '127.0.0.1']);
    assert.deepEqual([typeof accountId, typeof tokenId], ['string', 'number']);
    const refused = await api.send('GET', '/api/v1/nowhere', { headers: { 'x-request-id': 'two words' } });
    const id = refused.headers['x-request-id'];
    assert.match(String(id), /^[\da-f-]{36}$/);
    assert.deepEqual(refused.document.meta, { request_id: id });
    assert.equal(lineOf(id).status, 404);
    assert.equal(lineOf((await api.get('/health/live')).headers['x-request-id']).level, 20);
  });

  test('every error is complete', async () => {
    const replies = await Promise.all([
      api.get('/nowhere'),
      api.send('GET', report, { token: null }),
      api.send('POST', '/api/v1/reports', { attributes: {} }),
      api.get('/api/v1/reports?sort=x'),
    ]);
    for (const { status, document, headers } of replies) {
      assert.equal(headers['content-type'], 'application/vnd.api+json');
      assert.deepEqual(document.jsonapi, { version: '1.0' });
      for (const error of document.errors) {
        assert.equal(error.status, String(status));
        for (const name of ['code', 'title', 'detail']) assert.ok(error[name].length > 0, name);
      }
    }
  });
});
