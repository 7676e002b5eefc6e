import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createPasswords, type Passwords } from '../../src/accounts/passwords.ts';
import { signIn } from '../../src/accounts/sign-in.ts';
import { ATTEMPTS_MAX, admitSignIn } from '../../src/accounts/sign-in-attempts.ts';
import { DEVICE_COOKIE } from '../../src/api/http/session-cookie.ts';
import { addressKey } from '../../src/domain/email-address.ts';
import { AppError } from '../../src/platform/errors.ts';
import { findAccountByEmail } from '../../src/store/accounts/accounts.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { deleteOldAttempts } from '../../src/store/accounts/sign-in-attempts.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { anyCharacter, fc } from '../helpers/random.ts';
import { PASSWORD, tampered, type Visitor, visit } from '../helpers/visitor.ts';

const OWNER = 'owner@example.com';
const WRONG = 'not the password';
const COOKIE = 'sitewarden_session';

describe('signing in', () => {
  let api: TestApi;
  const passwords = createPasswords();
  before(async () => {
    api = await startApi();
    await putPassword(api.db, api.people.ownerId, await passwords.hash(PASSWORD));
    await putPassword(api.db, api.people.guestId, await passwords.hash(PASSWORD));
  });
  after(() => api?.close());
  beforeEach(() => sql`TRUNCATE sign_in_attempts, sessions`.execute(api.db));

  test('opens a session, which the API accepts until it is ended', async () => {
    const browser = visit(api);
    assert.deepEqual((await browser.get('/auth/session')).document, { account: null, session: null });
    assert.deepEqual((await browser.get('/api/v1/account')).errors, ['401 unauthorized']);
    const reply = await browser.signIn(' OWNER@example.com ');
    const { account, session } = reply.document;
    const { ownerId: id } = api.people;
    assert.deepEqual(account, { id, name: 'Owner', email: OWNER, has_password: true, oidc: false });
    assert.equal(reply.headers['cache-control'], 'no-store');
    assert.deepEqual((await browser.get('/auth/session')).document, { account, session });
    const answer = await browser.get('/api/v1/account');
    assert.deepEqual([answer.status, answer.document.data.id], [200, id]);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal((await browser.send('POST', '/auth/sign-out')).status, 204);
    assert.deepEqual([...browser.cookies.keys()], [DEVICE_COOKIE]);
    const cookie = `${COOKIE}=${/=([^;]+)/.exec(browser.setCookies[0] ?? '')?.[1]}`;
    const kept = await api.send('GET', '/api/v1/account', { token: null, headers: { cookie } });
    assert.deepEqual(kept.errors, ['401 unauthorized']);
    assert.equal((await browser.send('POST', '/auth/sign-out')).status, 204);
  });

  test('sets a cookie that scripts, other sites and other hosts cannot use', async () => {
    const browser = visit(api);
    await browser.signIn(OWNER);
    const [overHttp = '', device = ''] = browser.setCookies;
    assert.match(device, /^sitewarden_device=[\w-]{100,300}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.match(overHttp, /^sitewarden_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict$/);
    const server = testServer(api.db, { baseUrl: 'https://checks.example.com' });
    const reply = await server.inject({
      method: 'POST',
      url: '/auth/sign-in',
      headers: { origin: 'https://checks.example.com' },
      payload: { email: OWNER, password: PASSWORD },
    });
    const [overHttps = '', deviceOverHttps = ''] = [reply.headers['set-cookie'] ?? []].flat();
    assert.match(deviceOverHttps, /^__Host-sitewarden_device=.*; Secure; SameSite=Strict$/);
    assert.match(
      overHttps,
      /^__Host-sitewarden_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const [, value] = /=([^;]+)/.exec(overHttps) ?? [];
    const ask = async (cookie: string) =>
      (await server.inject({ url: '/api/v1/account', headers: { cookie } })).statusCode;
    assert.equal(await ask(`__Host-sitewarden_session=${value}`), 200);
    assert.equal(await ask(`sitewarden_session=${value}`), 401, 'a cookie that http pages can set');
    await server.close();
  });

  test('sets a secure cookie behind a trusted proxy that reports https', async () => {
    for (const [trustedProxies, name] of [
      [['127.0.0.1'], '__Host-sitewarden_session'],
      [[], 'sitewarden_session'],
    ] as const) {
      const server = testServer(api.db, { trustedProxies });
      const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'checks.example.com' };
      const reply = await server.inject({
        method: 'POST',
        url: '/auth/sign-in',
        headers: { ...forwarded, 'sec-fetch-site': 'same-origin' },
        payload: { email: OWNER, password: PASSWORD },
      });
      const [cookie = ''] = [reply.headers['set-cookie'] ?? []].flat();
      assert.deepEqual([cookie.split('=')[0], / Secure;/.test(cookie)], [name, trustedProxies.length > 0]);
      const { data } = (await server.inject({ url: '/api/v1/account', headers: { ...forwarded, cookie } })).json();
      const origin = trustedProxies.length > 0 ? 'https://checks.example.com' : 'http://localhost:80';
      assert.equal(data.links.self, `${origin}/api/v1/account`);
      await server.close();
    }
  });

  test('stores no secret', async () => {
    const browser = visit(api);
    await browser.signIn(OWNER);
    const { rows } = await sql<{ text: string }>`
      SELECT s::text AS text FROM sessions s UNION ALL SELECT p::text FROM passwords p`.execute(api.db);
    const text = rows.map((row) => row.text).join('\n');
    const secret = browser.cookies.get(COOKIE) ?? '';
    assert.ok(secret.length > 40);
    for (const hidden of [secret, Buffer.from(secret).toString('hex'), PASSWORD]) assert.ok(!text.includes(hidden));
    assert.match(text, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    for (const line of api.logLines) assert.ok(!line.includes(secret) && !line.includes(PASSWORD));
  });

  test('a session planted by someone else is not used', async () => {
    const [attacker, victim] = [visit(api), visit(api)];
    await attacker.signIn('guest@example.com');
    const planted = attacker.cookies.get(COOKIE) ?? '';
    victim.cookies.set(COOKIE, planted);
    await victim.signIn(OWNER);
    assert.notEqual(victim.cookies.get(COOKIE), planted);
    assert.deepEqual((await attacker.get('/auth/session')).document.account, null);
    const made = visit(api);
    made.cookies.set(COOKIE, 'a-value-of-the-attacker');
    await made.signIn(OWNER);
    assert.notEqual(made.cookies.get(COOKIE), 'a-value-of-the-attacker');
  });

  test('returns the same error for every mistake', async () => {
    const browser = visit(api);
    const texts = new Set<string>();
    for (const [email, password] of [
      [OWNER, WRONG],
      ['nobody@example.com', PASSWORD],
      ['stranger@example.com', PASSWORD],
      ['no address', PASSWORD],
    ] as const) {
      const reply = await browser.send('POST', '/auth/sign-in', { email, password });
      assert.deepEqual(reply.errors, ['401 wrong_credentials'], email);
      texts.add(JSON.stringify(reply.document.errors));
    }
    assert.equal(texts.size, 1);
    assert.equal(browser.setCookies.length, 0);
  });

  test('computes one hash for every mistake', async () => {
    const hashed: number[] = [];
    const counting: Passwords = {
      hash: passwords.hash,
      matches: (password, stored) => {
        hashed.push(password.length);
        return passwords.matches(password, stored);
      },
    };
    const attempt = (email: string, password: string) =>
      signIn(
        { db: api.db, passwords: counting },
        { email, password },
        { address: '192.0.2.1', userAgent: undefined, device: null },
        () => undefined,
      );
    for (const email of [OWNER, 'nobody@example.com', 'stranger@example.com']) {
      await assert.rejects(
        attempt(email, WRONG),
        (error) => error instanceof AppError && error.code === 'wrong_credentials',
      );
    }
    assert.deepEqual(hashed, [WRONG.length, WRONG.length, WRONG.length]);
    // Without an account, the hash costs as much as with one.
    assert.equal(await passwords.matches('', null), false);
  });

  test('names what is wrong with the body', async () => {
    const browser = visit(api);
    const errors = async (body?: object | string) =>
      (await browser.send('POST', '/auth/sign-in', body as object, { 'content-type': 'application/json' })).errors;
    assert.deepEqual(await errors({}), ['422 invalid /email', '422 invalid /password']);
    assert.deepEqual(await errors({ email: 1, password: 'x'.repeat(1_001), name: '' }), [
      '422 invalid /email',
      '422 invalid /password',
      '422 invalid /name',
    ]);
    assert.deepEqual(await errors({ email: 'a\0@example.com', password: 'x' }), ['422 invalid /email']);
    assert.deepEqual(await errors([]), ['400 invalid_request']);
    assert.deepEqual(await errors('{'), ['400 invalid_json']);
    assert.deepEqual(await errors(), ['400 invalid_json']);
    assert.deepEqual((await browser.get('/auth/sign-in')).errors, ['405 method_not_allowed']);
    assert.deepEqual((await browser.get('/auth/nothing')).errors, ['404 not_found']);
  });

  test('allows five wrong attempts per minute from an address to an account', async () => {
    const browser = visit(api);
    const attempt = (email: string, password: string) => browser.send('POST', '/auth/sign-in', { email, password });
    for (let count = 0; count < ATTEMPTS_MAX.addressAndAccount; count += 1) {
      assert.deepEqual((await attempt(OWNER, WRONG)).errors, ['401 wrong_credentials']);
    }
    const refused = await attempt(OWNER, PASSWORD);
    assert.deepEqual(refused.errors, ['429 rate_limited']);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait >= 1 && wait <= 60, String(wait));
    // Other accounts can still sign in from there, and all servers share the count.
    await visit(api).signIn('guest@example.com');
    const server = testServer(api.db, {});
    const headers = { 'sec-fetch-site': 'same-origin' };
    const elsewhere = {
      method: 'POST',
      url: '/auth/sign-in',
      headers,
      payload: { email: OWNER, password: PASSWORD },
    } as const;
    assert.equal((await server.inject(elsewhere)).statusCode, 429);
    assert.equal((await server.inject({ ...elsewhere, remoteAddress: '192.0.2.7' })).statusCode, 200);
    await server.close();
    await sql`UPDATE sign_in_attempts SET began_at = began_at - interval '1 minute'`.execute(api.db);
    assert.equal((await attempt(OWNER, PASSWORD)).status, 200);
    await sql`UPDATE sign_in_attempts SET began_at = began_at - interval '1 minute'`.execute(api.db);
    await deleteOldAttempts(api.db);
    const { rows } = await sql`SELECT FROM sign_in_attempts`.execute(api.db);
    assert.equal(rows.length, 0);
  });

  test('an address has one account and one count of attempts, however it is spelled', async () => {
    for (const email of ['OWNER@example.com', ' owner@EXAMPLE.com', 'oWnEr@example.com ', 'owner@example.COM', OWNER]) {
      const reply = await visit(api).send('POST', '/auth/sign-in', { email, password: WRONG });
      assert.deepEqual(reply.errors, ['401 wrong_credentials'], email);
    }
    const refused = await visit(api).send('POST', '/auth/sign-in', { email: OWNER, password: PASSWORD });
    assert.deepEqual(refused.errors, ['429 rate_limited']);
    // With Unicode's rules for case, these would be the same as ASCII letters.
    for (const email of ['gue\u017ft@example.com', 'other@example.c\u00d6m']) await createAccount(api.db, { email });
    const found = await findAccountByEmail(api.db, ' Gue\u017fT@EXAMPLE.com');
    assert.equal(found?.email, 'gue\u017ft@example.com');
    assert.equal((await findAccountByEmail(api.db, 'guest@example.com'))?.id, api.people.guestId);
    assert.equal(await findAccountByEmail(api.db, 'other@example.c\u00f6m'), undefined);
  });

  test('the database compares addresses as the count of attempts does', async () => {
    // Some of the letters whose lower case differs between implementations.
    const unit = fc.oneof(
      anyCharacter,
      fc.constantFrom('A', 'Z', '\u0130', '\u017f', '\u212a', '\u03a3', '\u1e9e', '\u00c9'),
    );
    const property = fc.asyncProperty(fc.array(fc.string({ unit }), { maxLength: 50 }), async (texts) => {
      const keys = texts.map((text) => addressKey(text.replaceAll('\0', '')));
      const { rows } = await sql<{ key: string }>`
        SELECT lower(key COLLATE "C") AS key FROM unnest(${texts.map((text) => text.replaceAll('\0', '').trim())}::text[])
        WITH ORDINALITY AS given(key, n) ORDER BY n`.execute(api.db);
      assert.deepEqual(
        rows.map(({ key }) => key),
        keys,
      );
    });
    await fc.assert(property, { numRuns: 10 });
  });

  test('allows no more attempts at the same time', async () => {
    const browser = visit(api);
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => browser.send('POST', '/auth/sign-in', { email: OWNER, password: WRONG })),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(5).fill(401), ...Array(7).fill(429)]);
  });

  test('correct attempts do not count', async () => {
    for (let count = 0; count < ATTEMPTS_MAX.addressAndAccount + 2; count += 1) await visit(api).signIn(OWNER);
  });

  test('attempts from elsewhere do not lock out a browser that has signed in before', async () => {
    const [owners, guests, stranger] = [visit(api), visit(api), visit(api)];
    await owners.signIn(OWNER);
    await guests.signIn('guest@example.com');
    const known = owners.cookies.get(DEVICE_COOKIE) ?? '';
    await owners.send('POST', '/auth/sign-out');
    for (let count = 0; count < ATTEMPTS_MAX.account; count += 1)
      await admitSignIn(api.db, `198.51.100.${count}`, OWNER);
    for (let count = 0; count < ATTEMPTS_MAX.address; count += 1) {
      await admitSignIn(api.db, '127.0.0.1', `p${count}@example.com`);
    }
    const attempt = async (visitor: Visitor, password: string) => {
      const { errors } = await visitor.send('POST', '/auth/sign-in', { email: OWNER, password });
      return errors[0] ?? 'signed in';
    };
    assert.equal(await attempt(stranger, PASSWORD), '429 rate_limited');
    assert.equal(await attempt(guests, PASSWORD), '429 rate_limited', 'known to another account only');
    for (const forged of [tampered(known), 'x', '', known.slice(0, 40)]) {
      stranger.cookies.set(DEVICE_COOKIE, forged);
      assert.equal(await attempt(stranger, PASSWORD), '429 rate_limited', forged);
    }
    assert.equal(await attempt(owners, PASSWORD), 'signed in');
    assert.notEqual(owners.cookies.get(DEVICE_COOKIE), known);
    // A stolen cookie allows as many wrong attempts as an address, and adds one row.
    const rows = async () => (await sql`SELECT FROM sign_in_attempts`.execute(api.db)).rows.length;
    const before = await rows();
    const tries: string[] = [];
    for (let count = 0; count <= ATTEMPTS_MAX.device; count += 1) tries.push(await attempt(owners, WRONG));
    assert.deepEqual(tries, [...Array(ATTEMPTS_MAX.device).fill('401 wrong_credentials'), '429 rate_limited']);
    assert.equal(await rows(), before + 1);
  });

  test('limits attempts from many addresses to one account, and from one address to many accounts', async () => {
    const at = (address: string, email: string) =>
      admitSignIn(api.db, address, email).then(
        () => 'admitted',
        (error) => (error instanceof AppError ? error.code : String(error)),
      );
    const codes: string[] = [];
    for (let count = 0; count <= ATTEMPTS_MAX.account; count += 1) codes.push(await at(`198.51.100.${count}`, OWNER));
    assert.deepEqual([...new Set(codes.slice(0, -1))], ['admitted']);
    assert.equal(codes.at(-1), 'rate_limited');
    const others: string[] = [];
    for (let count = 0; count <= ATTEMPTS_MAX.address; count += 1) {
      // All of these belong to one network.
      others.push(await at(`2001:db8:0:1::${count.toString(16)}`, `p${count}@example.com`));
    }
    assert.deepEqual([...new Set(others.slice(0, -1))], ['admitted']);
    assert.equal(others.at(-1), 'rate_limited');
    assert.equal(await at('2001:db8:0:2::1', 'p@example.com'), 'admitted');
  });
});
