import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import type { Passwords } from '../../src/accounts/passwords.ts';
import type { SignUp } from '../../src/accounts/register.ts';
import { signUpWithPassword } from '../../src/accounts/register.ts';
import { SignInFault } from '../../src/accounts/sign-in-fault.ts';
import { SESSION_COOKIE } from '../../src/api/http/session-cookie.ts';
import { putPassword } from '../../src/store/accounts/passwords.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { PASSWORD, visit, visitAs } from '../helpers/visitor.ts';

let number = 0;
const newcomer = (more: { readonly email?: string; readonly invitation?: string } = {}) => {
  number += 1;
  return { name: ' Eve ', email: `eve${number}@example.com`, password: PASSWORD, invitation: undefined, ...more };
};

describe('signing up', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ signUp: 'invite' });
  });
  after(() => api?.close());
  beforeEach(async () => {
    await sql`TRUNCATE sign_in_attempts, passwords`.execute(api.db);
    // A user can sign in.
    await putPassword(api.db, api.people.strangerId, 'a hash');
  });

  const invite = async (): Promise<string> => {
    const reply = await api.send('POST', '/api/v1/guest_accounts', { attributes: { max_usage: 120 } });
    return new URL(reply.document.data.attributes.invitation_url).pathname.split('/').at(-1) ?? '';
  };
  const look = async (secret: string, visitor = visit(api)) =>
    (await visitor.get(`/auth/invitations/${secret}`)).document;
  const join = (body: object, visitor = visit(api)) => visitor.send('POST', '/auth/accounts', body);
  /** The status of the response of a server with another setting. */
  const joinWhen = async (signUp: SignUp, payload: object) => {
    const server = testServer(api.db, { signUp });
    const headers = { 'sec-fetch-site': 'same-origin' };
    const reply = await server.inject({ method: 'POST', url: '/auth/accounts', headers, payload });
    await server.close();
    return reply;
  };
  const accountsOf = async (email: string) =>
    (await sql`SELECT plan, credits FROM accounts WHERE email = ${email}`.execute(api.db)).rows;

  test('with an invitation creates an account that is a guest at once', async () => {
    const secret = await invite();
    assert.deepEqual(await look(secret), { state: 'open', host: { name: 'Owner' }, max_usage: 120, may_sign_up: true });
    const browser = await visitAs(api, api.people.strangerId);
    const old = browser.cookies.get(SESSION_COOKIE) ?? '';
    const body = newcomer({ invitation: secret });
    const reply = await join(body, browser);
    assert.equal(reply.status, 201, reply.text);
    const headers = { cookie: `${SESSION_COOKIE}=${old}` };
    const before = await api.send('GET', '/auth/session', { token: null, headers });
    assert.equal(before.document.account, null, 'the earlier session of the browser');
    assert.deepEqual([reply.document.account.name, reply.document.account.email], ['Eve', body.email]);
    const { plan, guest_account } = (await browser.get('/api/v1/account')).document.data.attributes;
    assert.deepEqual([plan, guest_account.host.name, guest_account.max_usage], ['enterprise', 'Owner', 120]);
    // On its own it has nothing.
    assert.deepEqual(await accountsOf(body.email), [{ plan: 'free', credits: 0 }]);
    await visit(api).signIn(body.email);
    assert.equal((await look(secret, browser)).state, 'accepted');
    assert.deepEqual(await look(secret), {
      state: 'taken',
      host: { name: 'Owner' },
      max_usage: 120,
      may_sign_up: false,
    });
  });

  test('open, accepted, withdrawn, wrong and own invitations are distinguished', async () => {
    const { ownerId, guestId, freeId } = api.people;
    const secret = await invite();
    const host = await visitAs(api, ownerId);
    assert.equal((await look(secret, host)).state, 'own');
    const own = await host.send('POST', `/api/v1/invitations/${secret}/accept`);
    assert.deepEqual(own.errors, ['409 conflict']);
    const guest = await visitAs(api, freeId);
    assert.equal((await look(secret, guest)).state, 'open');
    assert.equal((await guest.send('POST', `/api/v1/invitations/${secret}/accept`)).status, 200);
    assert.equal((await look(secret, guest)).state, 'accepted');
    assert.equal((await look(secret, await visitAs(api, guestId))).state, 'taken');
    const taken = await join(newcomer({ invitation: secret }));
    assert.deepEqual(taken.errors, ['409 conflict /invitation']);
    const { id } = (await host.get('/api/v1/guest_accounts')).document.data[0];
    await host.send('DELETE', `/api/v1/guest_accounts/${id}`);
    for (const wrong of [secret, 'wrong', '%00']) {
      assert.deepEqual((await visit(api).get(`/auth/invitations/${wrong}`)).errors, ['404 not_found'], wrong);
    }
    assert.deepEqual((await join(newcomer({ invitation: secret }))).errors, ['404 not_found /invitation']);
  });

  test('requests without an open invitation learn nothing about addresses, and cost no hash', async () => {
    const taken = await invite();
    assert.equal((await join(newcomer({ invitation: taken }))).status, 201);
    const hashed: string[] = [];
    const counting: Passwords = {
      hash: async (password) => String(hashed.push(password)),
      matches: async () => false,
    };
    const browser = { address: '192.0.2.1', userAgent: undefined };
    for (const [invitation, code] of [
      [taken, 'conflict'],
      ['wrong', 'not_found'],
    ] as const) {
      for (const email of ['owner@example.com', 'nobody@example.com']) {
        const parts = { db: api.db, passwords: counting, signUp: 'invite' } as const;
        await assert.rejects(
          signUpWithPassword(parts, newcomer({ email, invitation }), browser),
          (error) => error instanceof SignInFault && error.field === 'invitation' && error.code === code,
        );
      }
    }
    assert.deepEqual(hashed, []);
  });

  test('an invitation creates one account, however many requests use it at the same time', async () => {
    const secret = await invite();
    const bodies = Array.from({ length: 5 }, () => newcomer({ invitation: secret }));
    const replies = await Promise.all(bodies.map((body) => join(body)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
    const made = await Promise.all(bodies.map(({ email }) => accountsOf(email)));
    assert.equal(made.flat().length, 1, 'nothing is left of the others');
  });

  test('follows the setting', async () => {
    assert.deepEqual((await join(newcomer())).errors, ['403 forbidden']);
    const body = newcomer();
    assert.equal((await joinWhen('open', body)).statusCode, 201);
    assert.deepEqual(await accountsOf(body.email), [{ plan: 'free', credits: null }]);
    const secret = await invite();
    const closed = await joinWhen('closed', newcomer({ invitation: secret }));
    assert.equal(closed.statusCode, 403);
    assert.equal((await look(secret)).state, 'open');
  });

  test('waits for the operator, whose link it would invalidate', async () => {
    await sql`TRUNCATE passwords`.execute(api.db);
    const reply = await joinWhen('open', newcomer());
    assert.equal(reply.statusCode, 403);
    assert.match(reply.json().errors[0].detail, /operator must sign in first/);
  });

  test('names what is wrong', async () => {
    const invitation = await invite();
    const wrong = await join({ name: 1, email: 'nobody', password: 'short', invitation, plan: 'pro' });
    assert.deepEqual(wrong.errors, [
      '422 invalid /name',
      '422 invalid /email',
      '422 invalid /password',
      '422 invalid /plan',
    ]);
    const taken = await join(newcomer({ email: 'OWNER@example.com', invitation }));
    assert.deepEqual(taken.errors, ['409 conflict /email']);
    assert.equal((await look(invitation)).state, 'open');
  });

  test('allows five attempts per minute from an address', async () => {
    for (let count = 0; count < 5; count += 1) assert.equal((await join(newcomer())).status, 403);
    const refused = await join(newcomer());
    assert.deepEqual(refused.errors, ['429 rate_limited']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    // Sign-ins are counted separately.
    const wrong = await visit(api).send('POST', '/auth/sign-in', { email: 'a@example.com', password: 'b' });
    assert.deepEqual(wrong.errors, ['401 wrong_credentials']);
  });

  test('counts attempts that succeed', async () => {
    const joinOpen = joinWhen.bind(null, 'open');
    for (let count = 0; count < 5; count += 1) {
      assert.equal((await joinOpen(newcomer({ email: `many${count}@example.com` }))).statusCode, 201);
    }
    assert.equal((await joinOpen(newcomer({ email: 'many5@example.com' }))).statusCode, 429);
  });

  test('logs no invitation', async () => {
    const secret = await invite();
    await look(secret);
    await join(newcomer({ invitation: secret }));
    for (const line of api.logLines) assert.ok(!line.includes(secret), line);
  });
});
