import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import {
  isProxyInstalled,
  PROXIES,
  PROXY_CLIENT,
  PROXY_HOST,
  type RunningProxy,
  startProxy,
} from '../helpers/proxies.ts';
import { startTestApp, type TestApp } from '../helpers/start-app.ts';
import { until } from '../helpers/until.ts';
import { PASSWORD } from '../helpers/visitor.ts';

/** The shipped configurations of proxies, with the real proxies if this machine has them. docs/install.md explains them. */

for (const name of PROXIES) {
  describe(name, { skip: isProxyInstalled(name) ? false : `${name} is not installed` }, () => {
    let app: TestApp;
    let proxy: RunningProxy;
    let cookie: string;
    const send: RunningProxy['send'] = (...request) => proxy.send(...request);

    before(async () => {
      const environment = { SITEWARDEN_BASE_URL: `https://${PROXY_HOST}`, SITEWARDEN_TRUSTED_PROXIES: '127.0.0.1' };
      app = await startTestApp(environment, {}, []);
      proxy = await startProxy(name, [new URL(app.api).host]);
    });
    after(async () => {
      await proxy?.stop();
      await app?.close();
    });

    const withSession = () => ({ cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' });

    test('lets people sign in over https, with a secure cookie', async () => {
      const { db } = app.app;
      const { id, email } = await db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
      await putPassword(db, id, await createPasswords().hash(PASSWORD));
      const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
      const { status, headers: received } = await send(
        'POST',
        '/auth/sign-in',
        headers,
        JSON.stringify({ email, password: PASSWORD }),
      );
      assert.equal(status, 200);
      const [session = ''] = (received['set-cookie'] ?? []).filter((text) => /session=/.test(text));
      assert.match(session, /; Secure/);
      cookie = session.split(';')[0] ?? '';
      assert.equal((await send('GET', '/api/v1/account', withSession())).status, 200);
    });

    test('forwards events while the stream is open', async (t) => {
      const stream = await proxy.open('GET', '/api/v1/events', { cookie });
      let events = '';
      stream.setEncoding('utf8').on('data', (chunk) => (events += chunk));
      const from = performance.now();
      const attributes = { starting_url: 'http://site.invalid/' };
      const created = await send('POST', '/api/v1/reports', withSession(), JSON.stringify({ data: { attributes } }));
      assert.equal(created.status, 201, created.text);
      const { id } = JSON.parse(created.text).data;
      await until(() => events.includes('event: report') && events.includes(id));
      t.diagnostic(`the event arrived ${Math.round(performance.now() - from)} ms after the request`);
      stream.destroy();
    });

    test('leaves the refusal of large requests to the service', async () => {
      const body = JSON.stringify({ data: { attributes: { name: 'a'.repeat(1.5 * 1024 ** 2) } } });
      const { status, text } = await send('POST', '/api/v1/sites', withSession(), body);
      assert.deepEqual([status, JSON.parse(text).errors[0].status], [413, '413']);
    });

    test('sends the address of the client, and not what the client says', async () => {
      await send('GET', '/api/v1/account', { cookie, 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'of-a-client' });
      const line = app.logLines.find((text) => text.includes('"requestId":"of-a-client"')) ?? assert.fail();
      assert.equal(JSON.parse(line).address, PROXY_CLIENT);
    });

    test('keeps metrics and health to the operator, and forwards http to https', async () => {
      const statuses = await Promise.all(
        ['/metrics', '/health/ready'].map(async (path) => (await send('GET', path)).status),
      );
      assert.ok(
        statuses.every((status) => status === 403 || status === 404),
        statuses.join(),
      );
      const response = await fetch(`http://127.0.0.1:${proxy.http}/a?b=1`, {
        redirect: 'manual',
        headers: { host: PROXY_HOST },
      });
      assert.ok([301, 308].includes(response.status));
    });
  });
}
