import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { openSession } from '../../src/accounts/sessions.ts';
import { sessionRequestsPerMinute } from '../../src/api/http/limits.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { deleteEndedSessions } from '../../src/store/accounts/sessions.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { followEvents } from '../helpers/event-client.ts';
import { useInOtherProcess } from '../helpers/shared-counts.ts';
import { until } from '../helpers/until.ts';
import { PASSWORD, type Visitor, visit, visitAs } from '../helpers/visitor.ts';

const COOKIE = 'sitewarden_session';
const NEW_PASSWORD = 'another password';
const ATTRIBUTES = { data: { attributes: { url_match: 'a', message: 'b' } } };

describe('sessions', () => {
  let api: TestApi;
  const passwords = createPasswords();
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());
  beforeEach(async () => {
    await sql`TRUNCATE sign_in_attempts, sessions, passwords`.execute(api.db);
  });

  const headersOf = ({ cookies }: Visitor) => ({ cookie: `${COOKIE}=${cookies.get(COOKIE)}` });
  const isSignedIn = async (visitor: Visitor) => (await visitor.get('/api/v1/account')).status === 200;
  const age = (column: 'inserted_at' | 'last_seen_at', interval: string) =>
    sql`UPDATE sessions SET ${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval`.execute(api.db);

  test('are listed and ended by their account only', async () => {
    const { ownerId, strangerId } = api.people;
    const old = await visitAs(api, ownerId, 'Old browser');
    await age('last_seen_at', '5 minutes');
    const current = await visitAs(api, ownerId, 'y'.repeat(1_000));
    const other = await visitAs(api, strangerId);
    const { sessions } = (await current.get('/auth/sessions')).document;
    assert.equal(sessions.length, 2);
    const [first, second] = sessions;
    assert.deepEqual([first.current, second.current, second.user_agent], [true, false, 'Old browser']);
    assert.equal(first.user_agent.length, 300);
    for (const name of ['inserted_at', 'last_seen_at', 'expires_at']) assert.match(second[name], /^\d{4}-.*:\d\d$/);
    assert.deepEqual(Object.keys(first).sort(), [
      'current',
      'expires_at',
      'id',
      'inserted_at',
      'last_seen_at',
      'user_agent',
    ]);
    for (const id of [second.id, '0', 'x', '9'.repeat(30)]) {
      assert.deepEqual((await other.send('DELETE', `/auth/sessions/${id}`)).errors, ['404 not_found'], id);
    }
    assert.equal((await current.send('DELETE', `/auth/sessions/${second.id}`)).status, 204);
    assert.deepEqual([await isSignedIn(old), await isSignedIn(current), await isSignedIn(other)], [false, true, true]);
    assert.equal((await current.send('DELETE', `/auth/sessions/${first.id}`)).status, 204);
    assert.equal(current.cookies.size, 0);
    assert.deepEqual((await old.get('/auth/sessions')).errors, ['401 unauthorized']);
    assert.deepEqual((await old.send('DELETE', '/auth/sessions')).errors, ['401 unauthorized']);
  });

  test('all others end together', async () => {
    const { ownerId, strangerId } = api.people;
    const [current, second, other] = [
      await visitAs(api, ownerId),
      await visitAs(api, ownerId),
      await visitAs(api, strangerId),
    ];
    assert.equal((await current.send('DELETE', '/auth/sessions')).status, 204);
    assert.deepEqual(
      [await isSignedIn(current), await isSignedIn(second), await isSignedIn(other)],
      [true, false, true],
    );
  });

  test('end after 30 days without use, and after 90 days in any case', async () => {
    const browser = await visitAs(api, api.people.ownerId);
    await age('last_seen_at', '29 days 23 hours 59 minutes');
    assert.equal(await isSignedIn(browser), true, 'which counts as a use');
    await age('last_seen_at', '29 days 23 hours 59 minutes');
    assert.equal(await isSignedIn(browser), true);
    await age('inserted_at', '89 days 23 hours 59 minutes');
    assert.equal(await isSignedIn(browser), true);
    await deleteEndedSessions(api.db);
    await age('inserted_at', '1 minute');
    assert.equal(await isSignedIn(browser), false);
    assert.deepEqual((await browser.get('/auth/session')).document.session, null);
    const idle = await visitAs(api, api.people.ownerId);
    await age('last_seen_at', '30 days');
    assert.equal(await isSignedIn(idle), false);
    await deleteEndedSessions(api.db);
    const { rows } = await sql`SELECT FROM sessions`.execute(api.db);
    assert.equal(rows.length, 0);
  });

  test('become idle although a tab follows events and reads changes', async () => {
    const browser = await visitAs(api, api.people.ownerId);
    const unattended = { 'sitewarden-unattended': '?1' };
    const lastSeen = async () =>
      (await sql<{ at: Date }>`SELECT last_seen_at AS at FROM sessions`.execute(api.db)).rows[0]?.at.getTime();
    await age('last_seen_at', '29 days 23 hours');
    const before = await lastSeen();
    const stream = await followEvents(`${api.origin}/api/v1/events`, { ...headersOf(browser), ...unattended });
    for (const path of ['/api/v1/account', '/auth/session', '/auth/sessions']) {
      assert.equal((await browser.send('GET', path, undefined, unattended)).status, 200, path);
    }
    assert.equal(await lastSeen(), before);
    await age('last_seen_at', '1 hour');
    assert.equal((await browser.send('GET', '/api/v1/account', undefined, unattended)).status, 401);
    await until(() => stream.hasEnded());
  });

  test('are not kept alive by an open stream', async () => {
    const { ownerId, strangerId } = api.people;
    const [browser, other] = [await visitAs(api, ownerId), await visitAs(api, strangerId)];
    const url = `${api.origin}/api/v1/events`;
    const [stream, others] = [await followEvents(url, headersOf(browser)), await followEvents(url, headersOf(other))];
    await age('last_seen_at', '1 day');
    await sql`DELETE FROM sessions WHERE account_id = ${strangerId}`.execute(api.db);
    // All streams are authenticated again together.
    await until(() => others.hasEnded());
    const { rows } = await sql<{ is_old: boolean }>`
      SELECT last_seen_at < now() - interval '23 hours' AS is_old FROM sessions`.execute(api.db);
    assert.deepEqual(rows, [{ is_old: true }]);
    stream.close();
  });

  test('an account has at most 100: the session that was unused for longest ends', async () => {
    const { ownerId, strangerId } = api.people;
    const other = await visitAs(api, strangerId);
    const oldest = await visitAs(api, ownerId);
    await age('last_seen_at', '1 hour');
    const next = await visitAs(api, ownerId);
    for (let count = 2; count < 100; count += 1) await openSession(api.db, ownerId, { userAgent: undefined });
    assert.deepEqual([await isSignedIn(oldest), await isSignedIn(next)], [true, true]);
    await age('last_seen_at', '1 hour');
    await isSignedIn(next);
    await openSession(api.db, ownerId, { userAgent: undefined });
    assert.deepEqual([await isSignedIn(next), await isSignedIn(other)], [true, true]);
    const { sessions } = (await next.get('/auth/sessions')).document;
    assert.equal(sessions.length, 100);
  });

  test('a new password ends the others, and needs the current one', async () => {
    const { ownerId } = api.people;
    await putPassword(api.db, ownerId, await passwords.hash(PASSWORD));
    const [current, other] = [visit(api), visit(api)];
    await current.signIn('owner@example.com');
    await other.signIn('owner@example.com');
    const change = (body: object, visitor = current) => visitor.send('POST', '/auth/password', body);
    for (const current_password of [undefined, '', 'wrong password']) {
      const { errors, document } = await change({ current_password, new_password: NEW_PASSWORD });
      assert.deepEqual(errors, ['422 invalid /current_password']);
      assert.equal(document.errors[0].detail, 'The current password is wrong.');
    }
    for (const new_password of ['short one', 'x'.repeat(1_001), undefined, 'with \ud800 surrogate']) {
      const { errors } = await change({ current_password: PASSWORD, new_password });
      assert.deepEqual(errors, ['422 invalid /new_password'], String(new_password));
    }
    const before = current.cookies.get(COOKIE);
    const reply = await change({ current_password: PASSWORD, new_password: NEW_PASSWORD });
    assert.equal(reply.document.account.email, 'owner@example.com');
    assert.notEqual(current.cookies.get(COOKIE), before);
    assert.deepEqual([await isSignedIn(current), await isSignedIn(other)], [true, false]);
    const wrong = await other.send('POST', '/auth/sign-in', { email: 'owner@example.com', password: PASSWORD });
    assert.deepEqual(wrong.errors, ['401 wrong_credentials']);
    await other.signIn('owner@example.com', NEW_PASSWORD);
    assert.deepEqual((await change({ new_password: NEW_PASSWORD }, visit(api))).errors, ['401 unauthorized']);
  });

  test('guessing the current password is limited like signing in', async () => {
    const { ownerId } = api.people;
    await putPassword(api.db, ownerId, await passwords.hash(PASSWORD));
    const thief = await visitAs(api, ownerId);
    const guess = (current_password: string) =>
      thief.send('POST', '/auth/password', { current_password, new_password: NEW_PASSWORD });
    for (let count = 0; count < 5; count += 1) assert.equal((await guess('a wrong one')).status, 422);
    assert.deepEqual((await guess(PASSWORD)).errors, ['429 rate_limited']);
  });

  test('an account without a password sets its first one', async () => {
    const browser = await visitAs(api, api.people.strangerId);
    assert.equal((await browser.get('/auth/session')).document.account.has_password, false);
    const reply = await browser.send('POST', '/auth/password', { new_password: NEW_PASSWORD });
    assert.equal(reply.document.account.has_password, true);
    await visit(api).signIn('stranger@example.com', NEW_PASSWORD);
  });

  test('change the name, and with the password the email address, which is shown to the other sessions', async () => {
    const { ownerId } = api.people;
    await putPassword(api.db, ownerId, await passwords.hash(PASSWORD));
    const [current, other] = [await visitAs(api, ownerId), await visitAs(api, ownerId)];
    const stranger = await visitAs(api, api.people.strangerId);
    const change = (body: object, visitor = current) => visitor.send('PATCH', '/auth/account', body);
    const told = async (visitor: Visitor) => (await visitor.get('/auth/session')).document.session.former_email;
    assert.equal((await change({ name: ' Olive ' })).document.account.name, 'Olive');
    // The unchanged address needs no password.
    assert.equal((await change({ name: 'Olivia', email: 'owner@example.com' })).document.account.name, 'Olivia');
    const email = 'olivia@example.com';
    for (const current_password of [undefined, 'not the password']) {
      assert.deepEqual((await change({ email, current_password })).errors, ['422 invalid /current_password']);
    }
    const taken = await change({ name: 'X', email: 'GUEST@example.com', current_password: PASSWORD });
    assert.deepEqual(taken.errors, ['409 conflict /email']);
    assert.deepEqual((await change({ email: 'nobody', name: 1 })).errors, ['422 invalid /name', '422 invalid /email']);
    assert.deepEqual((await change({ name: 'X' }, visit(api))).errors, ['401 unauthorized']);
    assert.deepEqual(
      (await change({ email: 'x@example.com' }, stranger)).errors,
      ['422 invalid /email'],
      'no password',
    );
    assert.equal(await told(other), null);

    const { account, session } = (await change({ email, current_password: PASSWORD })).document;
    assert.deepEqual([account.name, account.email, session.former_email], ['Olivia', email, null]);
    assert.deepEqual([await told(current), await told(other), await told(stranger)], [null, 'owner@example.com', null]);
    await visit(api).signIn(email);
    const old = await visit(api).send('POST', '/auth/sign-in', { email: 'owner@example.com', password: PASSWORD });
    assert.deepEqual(old.errors, ['401 wrong_credentials']);
    await change({ email: 'owner@example.com', current_password: PASSWORD });
    assert.equal(await told(other), 'owner@example.com', 'the first one, until it is read');
    assert.equal((await other.send('DELETE', '/auth/session/former_email')).status, 204);
    assert.equal(await told(other), null);
    await change({ name: 'Owner' });
  });

  test('one of two accounts that request an address at the same time gets it', async () => {
    const { ownerId, strangerId } = api.people;
    for (const id of [ownerId, strangerId]) await putPassword(api.db, id, await passwords.hash(PASSWORD));
    const browsers = [await visitAs(api, ownerId), await visitAs(api, strangerId)];
    const body = { email: 'both@example.com', current_password: PASSWORD };
    const replies = await Promise.all(browsers.map((browser) => browser.send('PATCH', '/auth/account', body)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409]);
    for (const [id, email] of [
      [ownerId, 'owner@example.com'],
      [strangerId, 'stranger@example.com'],
    ]) {
      await sql`UPDATE accounts SET email = ${email} WHERE id = ${id}`.execute(api.db);
    }
  });

  test('allow changes only from pages of the service', async () => {
    const browser = await visitAs(api, api.people.ownerId);
    const { origin } = api;
    const allowed: readonly Record<string, string>[] = [
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://proxied.example.com' },
      { origin },
    ];
    const refused: readonly Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin },
      { 'sec-fetch-site': '', origin },
      { origin: 'null' },
      { origin: 'https://evil.example.com' },
      { origin: `${origin}.evil.example.com` },
      { origin: origin.replace('http', 'https') },
      { referer: `${origin}/` },
    ];
    const cookie = headersOf(browser);
    const ask = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
      const reply = await api.send(method, path, { token: null, headers: { ...cookie, ...headers }, body });
      return reply.errors[0] ?? String(reply.status);
    };
    const changes = [
      ['POST', '/api/v1/mutings', ATTRIBUTES, '201'],
      ['PATCH', '/api/v1/reports/00000000-0000-4000-8000-000000000000', ATTRIBUTES, '404 not_found'],
      ['DELETE', '/api/v1/mutings/1234567', undefined, '404 not_found'],
      ['POST', '/auth/sign-in', { email: 'a', password: 'b' }, '401 wrong_credentials'],
      ['DELETE', '/auth/sessions', undefined, '204'],
    ] as const;
    for (const [index, [method, path, body, success]] of changes.entries()) {
      // All headers for one change; the others are decided in the same way.
      const few = index === 0 ? refused.length : 2;
      for (const headers of allowed.slice(0, few)) {
        assert.equal(await ask(method, path, headers, body), success, `${method} ${path} ${JSON.stringify(headers)}`);
      }
      for (const headers of refused.slice(0, few)) {
        assert.equal(await ask(method, path, headers, body), '403 forbidden', `${path} ${JSON.stringify(headers)}`);
      }
    }
    for (const headers of refused.slice(0, 2)) assert.equal(await ask('GET', '/api/v1/account', headers), '200');
    await sql`TRUNCATE sign_in_attempts`.execute(api.db);
  });

  test('behind a public address, its origin counts', async () => {
    const { secret } = await openSession(api.db, api.people.ownerId, { userAgent: undefined });
    const server = testServer(api.db, { baseUrl: 'https://checks.example.com/sub' });
    const status = async (origin: string) => {
      const headers = { cookie: `__Host-${COOKIE}=${secret}`, origin, host: 'inside:3000' };
      return (await server.inject({ method: 'DELETE', url: '/api/v1/mutings/1234567', headers })).statusCode;
    };
    assert.equal(await status('https://checks.example.com'), 404);
    assert.equal(await status('http://inside:3000'), 403);
    await server.close();
  });

  test('a bearer token wins over the cookie', async () => {
    const { ownerId, stranger, strangerId, reader } = api.people;
    const headers = headersOf(await visitAs(api, ownerId));
    const account = await api.send('GET', '/api/v1/account', { token: stranger, headers });
    assert.equal(account.document.data.id, strangerId);
    assert.equal(account.headers['cache-control'], undefined);
    const refused = await api.send('POST', '/api/v1/mutings', { token: reader, headers, body: ATTRIBUTES });
    assert.deepEqual(refused.errors, ['403 read_only_token']);
    assert.deepEqual((await api.send('GET', '/api/v1/account', { token: 'wrong', headers })).errors, [
      '401 invalid_token',
    ]);
    // A proxy in front of the service may require its own credentials.
    const behindProxy = { ...headers, authorization: 'Basic YTpi' };
    const ofProxy = await api.send('GET', '/api/v1/account', { token: null, headers: behindProxy });
    assert.equal(ofProxy.document.data.id, ownerId);
    // With a token the origin does not matter: no other site can make the browser send one.
    const created = await api.send('POST', '/api/v1/mutings', { token: stranger, headers, body: ATTRIBUTES });
    assert.equal(created.status, 201);
  });

  test('cost no credits', async () => {
    const { freeId, free } = api.people;
    const browser = await visitAs(api, freeId);
    const server = testServer(api.db, {});
    const headers = headersOf(browser);
    for (let count = 0; count < 5; count += 1) await server.inject({ url: '/api/v1/account', headers });
    await server.inject({ url: '/api/v1/account', headers: { authorization: `Bearer ${free}` } });
    // Closing saves the counts.
    await server.close();
    const { rows } = await sql<{
      requests: number;
    }>`SELECT requests FROM api_usage WHERE account_id = ${freeId}`.execute(api.db);
    assert.deepEqual(rows, [{ requests: 1 }]);
  });

  test('have a higher limit than tokens', async () => {
    const { secret } = await openSession(api.db, api.people.ownerId, { userAgent: undefined });
    const { id } = await api.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow();
    await useInOtherProcess(api.db, `session ${id}`, sessionRequestsPerMinute - 2);
    const server = testServer(api.db, { apiRateLimit: 1 });
    const ask = () => server.inject({ url: '/api/v1/account', headers: { cookie: `${COOKIE}=${secret}` } });
    for (let count = 0; count < 2; count += 1) assert.equal((await ask()).statusCode, 200);
    await until(async () => (await ask()).statusCode === 429);
    const refused = await ask();
    assert.match(refused.json().errors[0].detail, /^This session can make 1200 requests per minute\./);
    await server.close();
  });

  test('follow events until they end', async () => {
    const { ownerId } = api.people;
    const [browser, second] = [await visitAs(api, ownerId), await visitAs(api, ownerId)];
    const stream = await followEvents(`${api.origin}/api/v1/events`, headersOf(browser));
    assert.equal(stream.status, 200);
    const { id } = (await browser.get('/auth/session')).document.session;
    assert.equal((await second.send('DELETE', `/auth/sessions/${id}`)).status, 204);
    await until(() => stream.hasEnded());
    assert.equal((await followEvents(`${api.origin}/api/v1/events`, headersOf(browser))).status, 401);
  });
});
