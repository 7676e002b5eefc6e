import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { startApi, type TestApi } from '../helpers/api.ts';

describe('health and metrics', () => {
  let api: TestApi;
  let ready: () => Promise<Record<string, boolean>>;
  before(async () => {
    api = await startApi({ ready: () => ready() });
  });
  after(() => api?.close());

  const ask = (path: string) => api.send('GET', path, { token: null });

  test('the service is live as long as the process responds', async () => {
    const reply = await ask('/health/live');
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.document, { status: 'live' });
  });

  test('the service is ready when the database responds, with the state of each part', async () => {
    ready = async () => ({ database: true, validator: true });
    const yes = await ask('/health/ready');
    assert.equal(yes.status, 200);
    assert.deepEqual(yes.document, { status: 'ready', parts: { database: true, validator: true }, paused: false });
    ready = async () => ({ database: true, validator: false });
    const degraded = await ask('/health/ready');
    assert.equal(degraded.status, 200);
    assert.deepEqual(degraded.document, {
      status: 'degraded',
      parts: { database: true, validator: false },
      paused: false,
    });
    ready = async () => ({ database: false, validator: true });
    const no = await ask('/health/ready');
    assert.equal(no.status, 503);
    assert.deepEqual(no.document, { status: 'not_ready', parts: { database: false, validator: true } });
    ready = async () => {
      throw new Error('nobody home');
    };
    const unknown = await ask('/health/ready');
    assert.equal(unknown.status, 503);
    assert.deepEqual(unknown.document, { status: 'not_ready', parts: {} });
  });

  test('metrics count responses by route, not by URL', async () => {
    await api.get('/api/v1/reports/00000000-0000-4000-8000-000000000000');
    await ask('/nowhere/at/all');
    const { status, headers, text } = await ask('/metrics');
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    const count = 'sitewarden_http_request_duration_seconds_count';
    assert.ok(text.includes(`${count}{method="GET",route="/api/v1/reports/:report_id",status="404"} 1`), text);
    assert.ok(text.includes(`${count}{method="any",route="unknown",status="404"} 1`), text);
    assert.doesNotMatch(text, /00000000-|nowhere/);
  });
});

describe('metrics', () => {
  /** What proxies add, and what nginx sends to its upstream servers by default. */
  const FORWARDED = [{ 'x-forwarded-for': '192.0.2.1' }, { forwarded: 'for=192.0.2.1' }, { via: '1.1 proxy' }] as const;

  test('are for programs on this machine alone, and not for what a proxy forwards', async (t) => {
    const api = await startApi();
    t.after(() => api.close());
    const statusWith = async (headers: Record<string, string>) =>
      (await api.send('GET', '/metrics', { token: null, headers })).errors;
    assert.deepEqual(await statusWith({}), []);
    for (const headers of [...FORWARDED, { host: 'checks.example.com' }])
      assert.deepEqual(await statusWith(headers), ['403 forbidden'], JSON.stringify(headers));
    const { hostname, port } = new URL(api.origin);
    const socket = connect(Number(port), hostname, () =>
      socket.write('GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n'),
    );
    assert.match(await text(socket), /^HTTP\/1\.\d 403 /, 'as nginx sends');
  });

  test('are closed where a proxy is set up, unless a token is set', async (t) => {
    const metricsToken = 'metrics-token-0123456789';
    const behindProxy = await startApi({ trustedProxies: ['127.0.0.1'] });
    const withToken = await startApi({ trustedProxies: ['127.0.0.1'], metricsToken });
    t.after(async () => {
      await behindProxy.close();
      await withToken.close();
    });
    const [forwarded] = FORWARDED;
    const statuses = async (api: TestApi, token: string | null) =>
      Promise.all(
        [{}, forwarded].map(async (headers) => (await api.send('GET', '/metrics', { token, headers })).status),
      );
    assert.deepEqual(await statuses(behindProxy, null), [403, 403]);
    assert.deepEqual(await statuses(behindProxy, metricsToken), [403, 403]);
    assert.deepEqual(await statuses(withToken, null), [401, 401]);
    assert.deepEqual(await statuses(withToken, `${metricsToken}x`), [401, 401]);
    assert.deepEqual(await statuses(withToken, withToken.people.owner), [401, 401], 'a token of the API');
    assert.deepEqual(await statuses(withToken, metricsToken), [200, 200]);
  });
});
