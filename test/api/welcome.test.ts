import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createPasswordLink, ensureOwnerLink } from '../../src/accounts/sign-in-links.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { hashSecret } from '../../src/platform/kept-secret.ts';
import { createSecretBox, newSecretKey } from '../../src/platform/secret-box.ts';
import { countValidTokens } from '../../src/store/accounts/api-tokens.ts';
import { insertIdentity } from '../../src/store/accounts/oidc-identities.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { deleteExpiredSignInLinks } from '../../src/store/accounts/sign-in-links.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { PASSWORD, visit, visitAs } from '../helpers/visitor.ts';

const OWNER = { name: ' Ada ', email: ' ada@example.com', password: PASSWORD };

describe('links to sign in', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());
  beforeEach(async () => {
    await sql`TRUNCATE passwords, sessions, sign_in_links, oidc_identities`.execute(api.db);
    await sql`UPDATE accounts SET email = 'owner@example.com', name = 'Owner' WHERE id = ${api.people.ownerId}`.execute(
      api.db,
    );
  });

  const printed = async (box = credentialStore.box) =>
    (await ensureOwnerLink(api.db, box)) ?? assert.fail('someone can sign in');
  const ownerLink = async () => (await printed()).secret;
  const age = (interval: string) =>
    sql`UPDATE sign_in_links SET expires_at = expires_at - ${interval}::interval`.execute(api.db);
  const look = (secret: string) => visit(api).get(`/auth/welcome/${secret}`);
  const use = (secret: string, body: object, visitor = visit(api)) =>
    visitor.send('POST', `/auth/welcome/${secret}`, body);
  const needsOwner = async () => (await visit(api).get('/api/v1/installation')).document.data.attributes.needs_owner;

  test('the first link gives the first account its name, address and password', async () => {
    const secret = await ownerLink();
    assert.deepEqual((await look(secret)).document, {
      kind: 'owner',
      name: 'Owner',
      email: 'owner@example.com',
      api_tokens: await countValidTokens(api.db, api.people.ownerId),
    });
    assert.equal(await needsOwner(), true);
    const browser = visit(api);
    const reply = await use(secret, OWNER, browser);
    assert.equal(reply.status, 200);
    const { ownerId: id } = api.people;
    assert.deepEqual(reply.document.account, {
      id,
      name: 'Ada',
      email: 'ada@example.com',
      has_password: true,
      oidc: false,
    });
    assert.equal(reply.headers['referrer-policy'], 'no-referrer');
    assert.equal((await browser.get('/api/v1/account')).document.data.attributes.plan, 'enterprise');
    await visit(api).signIn('ada@example.com');
    assert.equal(await needsOwner(), false);
    assert.equal(await ensureOwnerLink(api.db, credentialStore.box), null);
    assert.deepEqual((await look(secret)).errors, ['404 not_found']);
    assert.deepEqual((await use(secret, OWNER)).errors, ['404 not_found']);
    // The account's token is still its own.
    assert.equal((await api.get('/api/v1/account')).document.data.attributes.email, 'ada@example.com');
  });

  test('all starts print the same first link while it is valid for another half hour', async () => {
    const links = await Promise.all(Array.from({ length: 6 }, () => printed()));
    const [first = assert.fail()] = links;
    assert.equal(Math.max(...links.map(({ minutes }) => minutes)), 60);
    assert.deepEqual(new Set(links.map(({ secret }) => secret)), new Set([first.secret]));
    const forgotten = await createPasswordLink(api.db, api.people.ownerId);
    assert.equal(await ownerLink(), first.secret);
    const later = new Date(Date.now() + 29 * 60_000);
    const hash = hashSecret('earlier');
    await sql`UPDATE sign_in_links SET expires_at = ${later}, hash = ${hash} WHERE for_owner`.execute(api.db);
    const next = await printed();
    assert.notEqual(next.secret, first.secret);
    for (const secret of ['earlier', next.secret, forgotten]) assert.equal((await look(secret)).status, 200, secret);
    assert.equal((await use('earlier', OWNER)).status, 200);
    for (const secret of ['earlier', next.secret, forgotten]) assert.equal((await look(secret)).status, 404, secret);
  });

  test('a start with another key prints another first link', async () => {
    const links = [await printed(), await printed(createSecretBox(newSecretKey()))];
    assert.equal(new Set(links.map(({ secret }) => secret)).size, 2);
    for (const { secret } of links) assert.equal((await look(secret)).status, 200);
  });

  test('the first link stops working once its account can sign in, regardless of other accounts', async () => {
    const secret = await ownerLink();
    const others = await createPasswordLink(api.db, api.people.guestId);
    assert.equal((await use(others, { password: PASSWORD })).status, 200);
    assert.equal((await look(secret)).status, 200);
    await putPassword(api.db, api.people.ownerId, 'a hash');
    assert.equal((await look(secret)).status, 404);
    assert.equal((await use(secret, OWNER)).status, 404);
    await sql`TRUNCATE passwords`.execute(api.db);
    await insertIdentity(api.db, api.people.ownerId, { issuer: 'https://id.example.com', subject: 'owner' });
    assert.equal((await use(secret, OWNER)).status, 404);
  });

  test('end the earlier session of the browser', async () => {
    const browser = await visitAs(api, api.people.strangerId);
    const old = browser.cookies.get(SESSION_COOKIE) ?? '';
    assert.equal((await use(await ownerLink(), OWNER, browser)).status, 200);
    const headers = { cookie: `${SESSION_COOKIE}=${old}` };
    const kept = await api.send('GET', '/auth/session', { token: null, headers });
    assert.equal(kept.document.account, null);
  });

  test('a later link sets a new password and ends all sessions', async () => {
    const { guestId } = api.people;
    const old = await visitAs(api, guestId);
    const [secret, unused] = [await createPasswordLink(api.db, guestId), await createPasswordLink(api.db, guestId)];
    assert.deepEqual((await look(secret)).document, {
      kind: 'password',
      name: 'Guest',
      email: 'guest@example.com',
      api_tokens: await countValidTokens(api.db, guestId),
    });
    assert.deepEqual((await use(secret, { ...OWNER })).errors, ['422 invalid /name', '422 invalid /email']);
    const browser = visit(api);
    assert.equal((await use(secret, { password: PASSWORD }, browser)).document.account.name, 'Guest');
    assert.equal((await browser.get('/api/v1/account')).status, 200);
    assert.equal((await old.get('/api/v1/account')).status, 401);
    assert.equal((await look(unused)).status, 404);
  });

  test('expire after an hour', async () => {
    const secret = await ownerLink();
    await age('59 minutes');
    assert.equal((await look(secret)).status, 200);
    await age('1 minute');
    assert.equal((await look(secret)).status, 404);
    assert.equal((await use(secret, OWNER)).status, 404);
    await deleteExpiredSignInLinks(api.db);
    assert.equal((await sql`SELECT FROM sign_in_links`.execute(api.db)).rows.length, 0);
  });

  test('only one of several links of an account works, however many are used at the same time', async () => {
    const { guestId } = api.people;
    for (let round = 0; round < 5; round += 1) {
      const secrets = await Promise.all(Array.from({ length: 4 }, () => createPasswordLink(api.db, guestId)));
      const replies = await Promise.all(secrets.map((secret) => use(secret, { password: PASSWORD })));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404, 404, 404]);
    }
  });

  test('work once, however many requests use them at the same time', async () => {
    const secret = await ownerLink();
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, index) => use(secret, { ...OWNER, email: `a${index}@example.com` })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404]);
    assert.equal((await sql`SELECT FROM sessions`.execute(api.db)).rows.length, 1);
  });

  test('are not used up by mistakes', async () => {
    const secret = await ownerLink();
    assert.deepEqual((await use(secret, { name: 'x'.repeat(201), email: 'ada', password: 'too short' })).errors, [
      '422 invalid /name',
      '422 invalid /email',
      '422 invalid /password',
    ]);
    const taken = await use(secret, { ...OWNER, email: 'GUEST@example.com' });
    assert.deepEqual(taken.errors, ['409 conflict /email']);
    assert.equal((await use(secret, OWNER)).status, 200);
  });

  test('are never stored in plain text', async () => {
    const secret = await ownerLink();
    await look(secret);
    await use(secret, OWNER);
    await (await fetch(`${api.origin}/welcome/${secret}`)).text();
    const again = await createPasswordLink(api.db, api.people.guestId);
    const { rows } = await sql<{ text: string }>`SELECT l::text AS text FROM sign_in_links l`.execute(api.db);
    for (const hidden of [again, Buffer.from(again).toString('hex')]) assert.ok(!rows[0]?.text.includes(hidden));
    assert.ok(api.logLines.some((line) => line.includes('/auth/welcome/(hidden)')));
    assert.ok(api.logLines.some((line) => line.includes('"/welcome/(hidden)')));
    for (const line of api.logLines) assert.ok(!line.includes(secret) && !line.includes(again), line);
  });

  test('wrong links are not found', async () => {
    for (const secret of ['x', 'x'.repeat(100), '%00', '..']) assert.equal((await look(secret)).status, 404, secret);
  });
});
