import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import { linkRequestsPerMinute } from '../../src/api/http/limits.ts';
import { newSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { type Item, startApi, type TestApi, testServer } from '../helpers/api.ts';
import { keptSecret } from '../helpers/credential-store.ts';
import { HOME, seedSample, seedSamplePath } from '../helpers/sample-report.ts';
import { useInOtherProcess } from '../helpers/shared-counts.ts';
import { until } from '../helpers/until.ts';

describe('share links', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** Shares a report or stops sharing it. @returns its attributes */
  const setShared = async (path: string, shared: boolean, token = api.people.owner): Promise<Item['attributes']> => {
    const reply = await api.send('PATCH', path, { token, attributes: { shared } });
    assert.equal(reply.status, 200, reply.text);
    return reply.document.data.attributes;
  };
  const secretOf = ({ share_url: url }: Item['attributes']): string => {
    assert.ok(url.startsWith(`${api.origin}/share/`), url);
    return url.split('/').at(-1);
  };

  test('the secret opens the report and everything in it, as others see it, and nothing can be changed', async () => {
    const path = await seedSamplePath(api);
    const secret = secretOf(await setShared(path, true));
    const shared = await api.get('/api/v1/share', secret);
    assert.equal(shared.status, 200, shared.text);
    assert.equal(shared.document.data.links.self, api.origin + path);
    assert.equal(shared.text, (await api.get(path, secret)).text);
    assert.equal(shared.document.data.attributes.shared_by, 'Owner');
    assert.ok(!('shared_by' in (await api.get(path)).document.data.attributes));
    const { relationships } = shared.document.data;
    for (const { links } of Object.values<Item>(relationships)) {
      assert.equal((await api.get(links.related, secret)).text, (await api.get(links.related)).text, links.related);
    }
    const [page] = await api.walk(`${path}/web_pages`, secret);
    for (const related of [page?.links.self, page?.relationships.html_issues.links.related]) {
      assert.equal((await api.get(related, secret)).text, (await api.get(related, api.people.stranger)).text);
    }
    assert.equal((await api.send('HEAD', path, { token: secret })).status, 200);
    assert.deepEqual((await api.send('DELETE', path, { token: secret })).errors, ['403 read_only_token']);
    assert.deepEqual((await api.get(await seedSamplePath(api), secret)).errors, ['404 not_found']);
    assert.deepEqual((await api.get('/api/v1/reports', secret)).errors, ['403 forbidden']);
    assert.deepEqual((await api.get('/api/v1/nothing', secret)).errors, ['404 not_found']);
    assert.deepEqual((await api.send('GET', path, { token: null })).errors, ['401 unauthorized']);
  });

  test('only those who may share the report see the link', async () => {
    const { owner, guest, reader, stranger, guestId, guestAccountId } = api.people;
    const { reportId } = await seedSample(api.db, { account_id: guestId, guest_account_id: guestAccountId });
    const path = `/api/v1/reports/${reportId}`;
    const { share_url: url } = await setShared(path, true);
    const urlFor = async (token: string) => (await api.get(path, token)).document.data.attributes.share_url;
    assert.deepEqual(await Promise.all([guest, owner].map(urlFor)), [url, url]);
    assert.deepEqual(await Promise.all([reader, stranger, secretOf({ share_url: url })].map(urlFor)), [
      undefined,
      undefined,
      undefined,
    ]);
    const list = await api.walk('/api/v1/reports?created_by=guests');
    assert.equal(list.find(({ id }) => id === reportId)?.attributes.share_url, url);
  });

  test('it stops working at once, and sharing again creates another one', async () => {
    const path = await seedSamplePath(api);
    assert.ok(!('share_url' in (await api.get(path)).document.data.attributes));
    const first = secretOf(await setShared(path, true));
    assert.equal(secretOf(await setShared(path, true)), first);
    assert.ok(!('share_url' in (await setShared(path, false))));
    for (const closed of ['/api/v1/share', path]) {
      assert.deepEqual((await api.get(closed, first)).errors, ['401 invalid_token']);
    }
    const second = secretOf(await setShared(path, true));
    assert.notEqual(second, first);
    assert.deepEqual((await api.get('/api/v1/share', first)).errors, ['401 invalid_token']);
    assert.equal((await api.get('/api/v1/share', second)).status, 200);
    await api.send('DELETE', path);
    assert.deepEqual((await api.get('/api/v1/share', second)).errors, ['401 invalid_token']);
  });

  test('reports that are created as shared have a link, also from schedules and deploy hooks', async () => {
    const attributes = { starting_url: HOME, shared: true };
    const made = (await api.send('POST', '/api/v1/reports', { attributes })).document.data;
    assert.equal((await api.get('/api/v1/share', secretOf(made.attributes))).document.data.id, made.id);
    const schedule = await api.send('POST', '/api/v1/schedules', {
      attributes: { ...attributes, periodicity: { every: 'deploy' } },
    });
    const fired = await api.send('POST', schedule.document.data.attributes.deploy_hook_url, { token: null });
    assert.ok(!fired.text.includes('share_url'), 'callers of a hook do not see the link');
    const report = (await api.get(`/api/v1/reports/${fired.document.data.id}`)).document.data;
    assert.equal((await api.get('/api/v1/share', secretOf(report.attributes))).document.data.id, report.id);
  });

  test("the plan of the report's owner decides what is shown", async () => {
    const { free, freeId, guest, guestId, guestAccountId } = api.people;
    const checksOf = async (report: { account_id: string; guest_account_id?: string }, token: string) => {
      const { reportId } = await seedSample(api.db, report);
      const secret = secretOf(await setShared(`/api/v1/reports/${reportId}`, true, token));
      const { attributes } = (await api.get('/api/v1/share', secret)).document.data;
      return [attributes.checks.html !== null, attributes.checks.a11y !== null];
    };
    assert.deepEqual(await checksOf({ account_id: freeId }, free), [true, false]);
    // The guest's own plan is the free one.
    assert.deepEqual(await checksOf({ account_id: guestId, guest_account_id: guestAccountId }, guest), [true, true]);
  });

  test('requests cost no credits, and are limited for each link', async () => {
    const [busy, other] = [await seedSamplePath(api), await seedSamplePath(api)];
    const [secret, otherSecret] = [secretOf(await setShared(busy, true)), secretOf(await setShared(other, true))];
    await useInOtherProcess(api.db, `share link ${busy.slice(-36)}`, linkRequestsPerMinute - 2);
    const ask = async () => (await api.send('HEAD', '/api/v1/share', { token: secret })).status;
    assert.deepEqual([await ask(), await ask()], [200, 200]);
    await until(async () => (await ask()) === 429);
    const refused = await api.get('/api/v1/share', secret);
    assert.deepEqual(refused.errors, ['429 rate_limited']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await api.get('/api/v1/share', otherSecret)).status, 200);
    assert.equal((await api.get(busy)).status, 200);
    const { id: accountId } = await createAccount(api.db, { email: 'sharing@example.com' });
    const ownSecret = newSecret();
    const { hash, sealed } = keptSecret(ownSecret);
    await seedSample(api.db, { account_id: accountId, shared: true, share_hash: hash, share_sealed: sealed });
    const server = testServer(api.db, {});
    const reply = await server.inject({ url: '/api/v1/share', headers: { authorization: `Bearer ${ownSecret}` } });
    assert.equal(reply.statusCode, 200);
    // Closing saves the counts.
    await server.close();
    const usage = api.db.selectFrom('api_usage').selectAll().where('account_id', '=', accountId);
    assert.deepEqual(await usage.execute(), []);
  });

  test('after the key was replaced, the link works but is not shown until the report is shared again', async () => {
    const path = await seedSamplePath(api);
    const lost = secretOf(await setShared(path, true));
    const sealed = createSecretBox(newSecretKey()).seal('x', 'y');
    await api.db.updateTable('reports').set({ share_sealed: sealed }).where('id', '=', path.slice(-36)).execute();
    assert.ok(!('share_url' in (await api.get(path)).document.data.attributes));
    assert.equal((await api.get('/api/v1/share', lost)).status, 200);
    await setShared(path, false);
    assert.notEqual(secretOf(await setShared(path, true)), lost);
  });

  test('the screens of the link open without a token, and are the same for wrong and for closed links', async () => {
    const path = await seedSamplePath(api);
    const { share_url: url } = await setShared(path, true);
    const browse = (of: string) => api.send('GET', of, { token: null, headers: { accept: 'text/html' } });
    for (const screen of [url, `${url}/pages`, `${url}/html/1`]) {
      const open = await browse(screen);
      assert.equal(open.status, 200, screen);
      assert.equal(open.headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(open.headers['x-robots-tag'], 'noindex');
      assert.equal(open.headers['referrer-policy'], 'no-referrer');
      assert.equal(open.headers['cache-control'], 'no-store');
      assert.ok(!open.text.includes(secretOf({ share_url: url })));
    }
    const wrong = await browse(`${url}x`);
    await setShared(path, false);
    const closed = await browse(url);
    assert.deepEqual([wrong.status, closed.status], [404, 404]);
    assert.equal(closed.text, wrong.text);
    const stable = ({ headers: { date: _, 'x-request-id': __, ...headers } }: typeof closed) => headers;
    assert.deepEqual(stable(closed), stable(wrong));
    assert.equal((await browse(`${url}/pages`)).status, 404);
    assert.equal((await browse('/share/')).status, 404);
  });
});
