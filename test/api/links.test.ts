import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { createServer } from '../../src/api/server.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type Ask, startApi } from '../helpers/api.ts';

/** Where the links of an answer lead, for a server with these settings. */
async function selfLink(settings: Parameters<typeof startApi>[0], ask: Ask): Promise<string> {
  const api = await startApi(settings);
  try {
    const { document } = await api.send('GET', '/api/v1/reports', ask);
    return document.links.self.replace(api.origin, 'ORIGIN');
  } finally {
    await api.close();
  }
}

describe('absolute links', () => {
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.example.com' };

  test('come from the request', async () => {
    assert.equal(await selfLink({}, {}), 'ORIGIN/api/v1/reports');
    assert.equal(
      await selfLink({}, { headers: { host: 'Other.example:81' } }),
      'http://Other.example:81/api/v1/reports',
    );
    assert.equal(await selfLink({}, { headers: { host: '[::1]:81' } }), 'http://[::1]:81/api/v1/reports');
    const nonsense = { headers: { host: 'evil"/><script>' } };
    assert.equal(await selfLink({ host: '127.0.0.2', port: 8 }, nonsense), 'http://127.0.0.2:8/api/v1/reports');
  });

  test('come from the configured address where there is one', async () => {
    const baseUrl = 'https://validator.example.com/path';
    assert.equal(await selfLink({ baseUrl }, { headers: forwarded }), `${baseUrl}/api/v1/reports`);
  });

  test('heed a proxy only when it is trusted', async () => {
    assert.equal(await selfLink({}, { headers: forwarded }), 'ORIGIN/api/v1/reports');
    assert.equal(await selfLink({ trustedProxies: ['10.0.0.0/8'] }, { headers: forwarded }), 'ORIGIN/api/v1/reports');
    const trusted = { trustedProxies: ['10.0.0.0/8', '127.0.0.1'] };
    assert.equal(await selfLink(trusted, { headers: forwarded }), 'https://public.example.com/api/v1/reports');
    const odd = { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'a/b' };
    assert.equal(await selfLink({ ...trusted, port: 8 }, { headers: odd }), 'http://127.0.0.1:8/api/v1/reports');
  });

  test('a trusted proxy that is no address stops the start', async () => {
    const { db, close } = openDatabase('postgres://127.0.0.1:1/nowhere', () => undefined);
    const config = { baseUrl: null, host: '127.0.0.1', port: 0, trustedProxies: ['nonsense'] };
    const nothing = async () => assert.fail();
    const actions = {
      createReport: nothing,
      setShared: nothing,
      deleteReport: nothing,
      recheckPage: nothing,
      deletePage: nothing,
    };
    const parts = { db, config, actions, log: pino({ level: 'silent' }), ready: nothing };
    assert.throws(() => createServer(parts), { code: 'invalid_configuration', message: /SITEWARDEN_TRUSTED_PROXIES/ });
    await close();
  });
});
