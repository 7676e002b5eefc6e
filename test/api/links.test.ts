import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { exchange, type ServerOverrides, startApi, type TestApi, testServer } from '../helpers/api.ts';

describe('absolute links', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.example.com' };

  /** Returns the origin of the links in a response, for a server with these settings and a request with these headers. */
  const selfLink = async (settings: ServerOverrides, headers: Record<string, string>): Promise<string> => {
    const server = testServer(api.db, settings);
    try {
      await server.listen({ port: 0, host: '127.0.0.1' });
      const { port } = server.server.address() as AddressInfo;
      const authorization = `Bearer ${api.people.owner}`;
      const request = { host: '127.0.0.1', port, path: '/api/v1/reports', headers: { authorization, ...headers } };
      const { document } = await exchange(request);
      return document.links.self.replace(`http://127.0.0.1:${port}/`, 'ORIGIN/');
    } finally {
      await server.close();
    }
  };

  test('use the URL of the request', async () => {
    assert.equal(await selfLink({}, {}), 'ORIGIN/api/v1/reports');
    assert.equal(await selfLink({}, { host: 'Other.example:81' }), 'http://Other.example:81/api/v1/reports');
    assert.equal(await selfLink({}, { host: '[::1]:81' }), 'http://[::1]:81/api/v1/reports');
    const nonsense = { host: 'evil"/><script>' };
    assert.equal(await selfLink({ host: '127.0.0.2', port: 8 }, nonsense), 'http://127.0.0.2:8/api/v1/reports');
  });

  test('use the configured URL, if there is one', async () => {
    const baseUrl = 'https://validator.example.com/path';
    assert.equal(await selfLink({ baseUrl }, forwarded), `${baseUrl}/api/v1/reports`);
  });

  test('use forwarded headers only from trusted proxies', async () => {
    assert.equal(await selfLink({}, forwarded), 'ORIGIN/api/v1/reports');
    assert.equal(await selfLink({ trustedProxies: ['10.0.0.0/8'] }, forwarded), 'ORIGIN/api/v1/reports');
    const trusted = { trustedProxies: ['10.0.0.0/8', '127.0.0.1'] };
    assert.equal(await selfLink(trusted, forwarded), 'https://public.example.com/api/v1/reports');
    const odd = { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a/b' };
    assert.equal(await selfLink({ ...trusted, port: 8 }, odd), 'http://127.0.0.1:8/api/v1/reports');
  });

  test('an invalid trusted proxy prevents the start', () => {
    const start = () => testServer(api.db, { trustedProxies: ['nonsense'] });
    assert.throws(start, { code: 'invalid_configuration', message: /SITEWARDEN_TRUSTED_PROXIES/ });
  });
});
