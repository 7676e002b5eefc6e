import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { OIDC_REFUSALS } from '../../src/accounts/sign-in.ts';
import { createPasswordLink, ensureOwnerLink, findLink } from '../../src/accounts/sign-in-links.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { type Reply, startApi, type TestApi, testServer } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { type IssuerPerson, startIssuer, type TestIssuer } from '../helpers/oidc-issuer.ts';
import { PASSWORD, tampered, type Visitor, visit, visitAs } from '../helpers/visitor.ts';

const FLOW_COOKIE = 'sitewarden_oidc';
const ADA: IssuerPerson = { sub: 'ada-1', name: 'Ada', email: 'ada@example.com', email_verified: true };

describe('signing in with a provider', () => {
  let api: TestApi;
  let issuer: TestIssuer;
  const passwords = createPasswords();
  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ ...issuer.settings, oidcName: 'Example Inc.', signUp: 'invite' });
    issuer.register(`${api.origin}/auth/oidc/callback`);
  });
  after(async () => {
    await api?.close();
    await issuer?.stop();
  });
  beforeEach(async () => {
    await sql`TRUNCATE oidc_identities, sessions, passwords`.execute(api.db);
    await sql`DELETE FROM accounts WHERE email ILIKE 'ada%'`.execute(api.db);
    await putPassword(api.db, api.people.strangerId, 'a hash');
    issuer.person = ADA;
  });

  /** Goes to the provider and follows its redirects. @returns the path and query of the callback, not yet requested */
  const goThere = async (visitor: Visitor, query = ''): Promise<string> => {
    const started = await start(visitor, query);
    assert.equal(started.status, 302, started.text);
    return follow(String(started.headers['location']));
  };
  const start = (visitor: Visitor, query = '', site = 'same-origin'): Promise<Reply> =>
    visitor.send('GET', `/auth/oidc/start${query}`, undefined, { 'sec-fetch-site': site });
  /**
   * Requests to link the provider to the account, goes there and follows its redirects. @returns the path and query of the
   * callback
   */
  const goToLink = async (visitor: Visitor, body: object = {}): Promise<string> => {
    const reply = await visitor.send('POST', '/auth/oidc/link', body);
    assert.equal(reply.status, 200, reply.text);
    return follow(reply.document.url);
  };
  const follow = async (address: string): Promise<string> => {
    const jar = new Map<string, string>();
    let url = new URL(address);
    for (let hops = 0; url.origin !== api.origin; hops += 1) {
      assert.ok(hops < 10, url.href);
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const text of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
        jar.set(name, value);
      }
      const location = response.headers.get('location');
      assert.ok(location !== null, `${url.href} returns ${response.status}: ${await response.text()}`);
      url = new URL(location, url);
    }
    return url.pathname + url.search;
  };
  const comeBack = async (visitor: Visitor, path: string): Promise<Reply> => {
    // The provider is another site, so the browser does not send it the strict cookie of its session.
    const session = visitor.cookies.get(SESSION_COOKIE);
    visitor.cookies.delete(SESSION_COOKIE);
    const reply = await visitor.send('GET', path, undefined, { 'sec-fetch-site': 'cross-site' });
    assert.equal(reply.status, 302, reply.text);
    if (session !== undefined && !visitor.cookies.has(SESSION_COOKIE)) visitor.cookies.set(SESSION_COOKIE, session);
    return reply;
  };
  /** @returns the path at which the browser ends */
  const goThrough = async (visitor: Visitor, query = ''): Promise<string> =>
    endOf(visitor, await goThere(visitor, query));
  const link = async (visitor: Visitor, body: object = {}): Promise<string> =>
    endOf(visitor, await goToLink(visitor, body));
  const endOf = async (visitor: Visitor, path: string): Promise<string> => {
    const { location } = (await comeBack(visitor, path)).headers;
    assert.ok(String(location).startsWith(`${api.origin}/`), String(location));
    return String(location).slice(api.origin.length);
  };
  /** The last entry in the audit log. */
  const lastAction = async () => {
    const list = api.db.selectFrom('audit_log').select(['action', 'actor', 'account_id', 'status']);
    return list.orderBy('id', 'desc').limit(1).executeTakeFirst();
  };
  const action = 'GET /auth/oidc/callback';
  const accountOf = async (visitor: Visitor) => (await visitor.get('/auth/session')).document.account;

  test('signs in to an account without a password by its verified address, and later by the person', async () => {
    const { id } = await createAccount(api.db, { email: 'ADA@example.com' });
    const browser = visit(api);
    assert.equal(await goThrough(browser, '?return_to=/reports%3Fpage=2'), '/reports?page=2');
    const account = await accountOf(browser);
    assert.deepEqual([account.id, account.has_password, account.oidc], [id, false, true]);
    assert.ok(!browser.cookies.has(FLOW_COOKIE));
    assert.deepEqual(await lastAction(), { action, actor: 'session', account_id: id, status: 302 });
    issuer.person = { ...ADA, email: 'other@example.com', email_verified: false };
    const again = visit(api);
    assert.equal(await goThrough(again), '/');
    assert.equal((await accountOf(again)).id, id);
    const started = browser.setCookies.find((text) => text.startsWith(FLOW_COOKIE)) ?? '';
    assert.match(started, /^sitewarden_oidc=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test('does not sign in by an unverified address, or as another person with the same address', async () => {
    await createAccount(api.db, { email: 'ada@example.com' });
    for (const email_verified of [false, undefined]) {
      issuer.person = {
        sub: 'mallory',
        name: 'Ada',
        email: 'ada@example.com',
        ...(email_verified === false && { email_verified }),
      };
      const browser = visit(api);
      assert.equal(await goThrough(browser), '/sign-in?error=oidc_no_account');
      assert.deepEqual(await lastAction(), { action, actor: 'anyone', account_id: null, status: 401 });
      assert.equal(await accountOf(browser), null);
    }
    issuer.person = ADA;
    await goThrough(visit(api));
    issuer.person = { ...ADA, sub: 'ada-2' };
    assert.equal(await goThrough(visit(api)), '/sign-in?error=oidc_taken');
  });

  test('does not sign in to an account with a password until its owner links it', async () => {
    const { id } = await createAccount(api.db, { email: 'ada@example.com' });
    await putPassword(api.db, id, await passwords.hash(PASSWORD));
    assert.equal(await goThrough(visit(api)), '/sign-in?error=oidc_has_password');
    const owner = await visitAs(api, id);
    for (const current_password of [undefined, 'not the password']) {
      const refused = await owner.send('POST', '/auth/oidc/link', { current_password });
      assert.deepEqual(refused.errors, ['422 invalid /current_password']);
    }
    const body = { current_password: PASSWORD, return_to: '/account' };
    assert.equal(await link(owner, body), '/account');
    assert.deepEqual(await lastAction(), { action, actor: 'session', account_id: id, status: 302 });
    assert.equal((await accountOf(owner)).oidc, true);
    const browser = visit(api);
    await goThrough(browser);
    assert.equal((await accountOf(browser)).id, id);
    const other = await visitAs(api, api.people.guestId);
    assert.equal(await link(other), '/sign-in?error=oidc_taken');
    assert.equal((await accountOf(other)).id, api.people.guestId);
    // Linking again changes nothing.
    assert.equal(await link(owner, body), '/account');
  });

  test('is unlinked by its owner, who needs a password', async () => {
    const { id } = await createAccount(api.db, { email: 'ada@example.com' });
    const owner = visit(api);
    await goThrough(owner);
    const unlink = (visitor: Visitor) => visitor.send('DELETE', '/auth/oidc');
    assert.deepEqual((await unlink(owner)).errors, ['409 conflict'], 'the last way to sign in');
    assert.deepEqual((await unlink(visit(api))).errors, ['401 unauthorized']);
    await owner.send('POST', '/auth/password', { new_password: PASSWORD });
    const stranger = await visitAs(api, api.people.strangerId);
    assert.deepEqual((await unlink(stranger)).errors, ['404 not_found']);
    assert.equal((await accountOf(owner)).oidc, true);
    assert.equal((await unlink(owner)).status, 204);
    assert.equal((await accountOf(owner)).oidc, false);
    assert.equal(await goThrough(visit(api)), '/sign-in?error=oidc_has_password');
    assert.equal(await link(owner, { current_password: PASSWORD }), '/');
    const again = visit(api);
    await goThrough(again);
    assert.equal((await accountOf(again)).id, id);
  });

  test('links nothing for other pages, without a session, or long after a sign-in without a password', async () => {
    const { id } = await createAccount(api.db, { email: 'ada3@example.com' });
    const owner = await visitAs(api, id);
    for (const site of ['same-site', 'cross-site', 'none']) {
      const refused = await owner.send('POST', '/auth/oidc/link', {}, { 'sec-fetch-site': site });
      assert.deepEqual(refused.errors, ['403 forbidden'], site);
    }
    assert.deepEqual((await visit(api).send('POST', '/auth/oidc/link', {})).errors, ['401 unauthorized']);
    await sql`UPDATE sessions SET inserted_at = inserted_at - interval '15 minutes'`.execute(api.db);
    const late = await owner.send('POST', '/auth/oidc/link', {});
    assert.deepEqual(late.errors, ['403 forbidden']);
    assert.match(late.document.errors[0].detail, /within the last 15 minutes/);
    // Without a request to link, this signs in as the person that the provider knows.
    await goThrough(owner);
    const { rows } = await sql`SELECT FROM oidc_identities WHERE account_id = ${id}`.execute(api.db);
    assert.equal(rows.length, 0);
  });

  test('ends the earlier session of the browser, even when coming from other sites', async () => {
    const { id } = await createAccount(api.db, { email: 'ada@example.com' });
    const browser = await visitAs(api, api.people.strangerId);
    const old = browser.cookies.get(SESSION_COOKIE) ?? '';
    const elsewhere = await start(browser, '?return_to=/reports%3Fpage=2', 'cross-site');
    assert.equal(elsewhere.headers['location'], `${api.origin}/sign-in?to=%2Freports%3Fpage%3D2`);
    assert.ok(!browser.cookies.has(FLOW_COOKIE));
    assert.equal(await goThrough(browser), '/');
    assert.equal((await accountOf(browser)).id, id);
    const kept = await api.send('GET', '/auth/session', {
      token: null,
      headers: { cookie: `${SESSION_COOKIE}=${old}` },
    });
    assert.equal(kept.document.account, null);
  });

  test('does not use up the link of the first run, which is for another account', async () => {
    await sql`TRUNCATE passwords`.execute(api.db);
    await createAccount(api.db, { email: 'ada@example.com' });
    const { secret } = (await ensureOwnerLink(api.db, credentialStore.box)) ?? assert.fail();
    const browser = visit(api);
    assert.equal(await goThrough(browser), '/');
    assert.equal((await findLink(api.db, secret)).forOwner, true);
    assert.equal(await ensureOwnerLink(api.db, credentialStore.box), null, 'the next start prints no link');
  });

  test('ends when a link for a forgotten password is used', async () => {
    const { id } = await createAccount(api.db, { email: 'ada4@example.com' });
    assert.equal(await link(await visitAs(api, id)), '/');
    const secret = await createPasswordLink(api.db, id);
    const browser = visit(api);
    assert.equal((await browser.send('POST', `/auth/welcome/${secret}`, { password: PASSWORD })).status, 200);
    assert.equal((await accountOf(browser)).oidc, false);
  });

  test('links nothing to a session that ends in the meantime', async () => {
    const { id } = await createAccount(api.db, { email: 'ada2@example.com' });
    const owner = await visitAs(api, id);
    const path = await goToLink(owner);
    await sql`TRUNCATE sessions`.execute(api.db);
    const { location } = (await comeBack(owner, path)).headers;
    assert.equal(location, `${api.origin}/sign-in?error=oidc_expired`);
    assert.equal((await sql`SELECT FROM oidc_identities`.execute(api.db)).rows.length, 0);
  });

  test('creates an account if the person may sign up', async () => {
    assert.equal(await goThrough(visit(api)), '/sign-in?error=oidc_no_account');
    const created = await api.send('POST', '/api/v1/guest_accounts', { attributes: { max_usage: 70 } });
    const secret = new URL(created.document.data.attributes.invitation_url).pathname.split('/').at(-1);
    const browser = visit(api);
    assert.equal(await goThrough(browser, `?invitation=${secret}`), '/');
    const { name, guest_account } = (await browser.get('/api/v1/account')).document.data.attributes;
    assert.deepEqual([name, guest_account.host.name, guest_account.max_usage], ['Ada', 'Owner', 70]);
    issuer.person = { ...ADA, sub: 'ada-3', email: 'ada3@example.com' };
    assert.equal(await goThrough(visit(api), `?invitation=${secret}`), '/sign-in?error=invitation_taken');
    assert.equal((await sql`SELECT FROM accounts WHERE email = 'ada3@example.com'`.execute(api.db)).rows.length, 0);
  });

  test('ends if the person refuses', async () => {
    issuer.person = null;
    assert.equal(await goThrough(visit(api)), '/sign-in?error=oidc_refused');
  });

  test('works only in the browser that began it, once, for ten minutes', async () => {
    await createAccount(api.db, { email: 'ada@example.com' });
    const [browser, other] = [visit(api), visit(api)];
    const path = await goThere(browser);
    const expired = `${api.origin}/sign-in?error=oidc_expired`;
    assert.equal((await comeBack(other, path)).headers['location'], expired);
    await goThere(other);
    const failed = `${api.origin}/sign-in?error=oidc_failed`;
    assert.equal((await comeBack(other, path)).headers['location'], failed, 'the state of another browser');
    const flow = browser.cookies.get(FLOW_COOKIE) ?? '';
    assert.equal((await comeBack(browser, path)).headers['location'], `${api.origin}/`);
    assert.equal((await comeBack(browser, path)).headers['location'], expired);
    browser.cookies.set(FLOW_COOKIE, flow);
    assert.equal((await comeBack(browser, path)).headers['location'], failed, 'the code was used');
    for (const damaged of [tampered(flow), 'x', '']) {
      other.cookies.set(FLOW_COOKIE, damaged);
      assert.equal((await comeBack(other, path)).headers['location'], expired);
    }
  });

  test('expires after ten minutes', async (context) => {
    const browser = visit(api);
    const path = await goThere(browser);
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 600_001 });
    assert.equal((await comeBack(browser, path)).headers['location'], `${api.origin}/sign-in?error=oidc_expired`);
  });

  test('returns only to pages of the service', async () => {
    await createAccount(api.db, { email: 'ada@example.com' });
    for (const target of [
      'https://evil.example.com/',
      '//evil.example.com',
      '/\\evil.example.com',
      '/\t/evil.example.com',
      'x',
    ]) {
      assert.equal(await goThrough(visit(api), `?return_to=${encodeURIComponent(target)}`), '/', target);
    }
    assert.equal(await goThrough(visit(api), '?return_to=/.//evil.example.com'), '//evil.example.com');
  });

  test('has the name of the provider, and is off without settings', async () => {
    assert.deepEqual((await visit(api).get('/api/v1/installation')).document.data.attributes.oidc, {
      name: 'Example Inc.',
    });
    const without = testServer(api.db, {});
    for (const url of ['/auth/oidc/start', '/auth/oidc/callback?code=x&state=y']) {
      assert.equal((await without.inject({ url })).statusCode, 404, url);
    }
    await without.close();
    const unnamed = testServer(api.db, { ...issuer.settings });
    const { data } = (await unnamed.inject({ url: '/api/v1/installation' })).json();
    assert.equal(data.attributes.oidc.name, new URL(issuer.settings.oidcIssuer).host);
    await unnamed.close();
  });

  test('an unreachable or invalid provider is logged and leads back', async () => {
    for (const oidcIssuer of ['http://127.0.0.1:9', `${api.origin}/api`]) {
      const lines: string[] = [];
      const log = pino({}, { write: (line: string) => void lines.push(line) });
      const server = testServer(api.db, { ...issuer.settings, oidcIssuer, log });
      const reply = await server.inject({ url: '/auth/oidc/start', headers: { host: 'here' } });
      assert.deepEqual([reply.statusCode, reply.headers.location], [302, 'http://here/sign-in?error=oidc_failed']);
      await server.close();
      assert.match(lines.join(), /Signing in with the OpenID Connect provider failed/);
    }
    for (const line of api.logLines) assert.ok(!/code=|a secret of the client/.test(line), line);
  });

  test('docs/openid-connect.md lists every reason', async () => {
    const text = await readFile(new URL('../../docs/openid-connect.md', import.meta.url), 'utf8');
    for (const reason of [...OIDC_REFUSALS, 'oidc_refused', 'oidc_failed'])
      assert.ok(text.includes(`\`${reason}\``), reason);
  });
});
