import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { type LoginMeans, type LoginOwner, probeSession, runLogin } from '../../src/logins/run-login.ts';
import { createLoginTester } from '../../src/logins/test-login.ts';
import { withPauses } from '../../src/logins/with-pauses.ts';

const ORIGIN = 'https://example.com';
const steps = [{ open: `${ORIGIN}/name` }, { fill: '#password', secret: 'secret' }, { open: `${ORIGIN}/next` }];
const owner: LoginOwner = {
  ...{ id: '1', startingUrl: `${ORIGIN}/`, siteUrl: null, viewport: DEFAULT_VIEWPORT },
  access: { ...NO_ACCESS, login: { steps, signed_in: null } },
};
const { signal } = new AbortController();

/** A site whose pages respond with these statuses one after the other; 0 if the connection is refused. */
function siteWith(...statuses: readonly number[]): LoginMeans {
  const left = [...statuses];
  const field = { waitFor: async () => undefined, evaluate: async () => 'password', fill: async () => undefined };
  const page = {
    async goto() {
      const status = left.shift() ?? 200;
      if (status === 0) throw new Error('page.goto: net::ERR_CONNECTION_REFUSED');
      return { status: () => status };
    },
    locator: () => ({ first: () => field }),
    url: () => `${ORIGIN}/`,
  };
  const browserPage = { page, cdp: { send: async () => ({}) } };
  const withPage = (_: unknown, use: (...args: readonly unknown[]) => unknown) =>
    use(browserPage, (work: () => unknown) => work());
  return { pool: { withPage: withPage as never }, takeCode: async () => '1', signal };
}

test('a login is tried again if the site is down before a secret is entered', async () => {
  const attempt = async (...statuses: readonly number[]) => {
    const result = await runLogin(owner, siteWith(...statuses));
    assert.ok('failure' in result);
    return [result.step, result.isTransient];
  };
  assert.deepEqual(await attempt(0), [0, true]);
  assert.deepEqual(await attempt(503), [0, true]);
  assert.deepEqual(await attempt(404), [0, false]);
  assert.deepEqual(await attempt(200, 0), [2, false]);
});

/** A database that lets every account try a login. */
function grantingDatabase(): object {
  const query: object = new Proxy(
    { executeTakeFirst: async () => ({ trying_until: new Date() }), execute: async () => [] },
    { get: (ends, name) => Reflect.get(ends, name) ?? (() => query) },
  );
  return query;
}

test('a login that is tried for too long has failed', async () => {
  const waits = (request: { readonly signal: AbortSignal }) =>
    new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)));
  const parts = { pool: { withPage: waits as never }, db: grantingDatabase() };
  const tryLogin = createLoginTester(parts as never, 20);
  const { failure, screenshots } = await tryLogin('1', owner);
  const why = { code: 'login_not_tried_in_time', params: { seconds: 0.02 } };
  assert.deepEqual([failure, screenshots], [{ code: 'login_failed', params: { why } }, []]);
});

test('a site that is down does not show whether a session has ended', async () => {
  const session = {
    ...{ cookies: [], origin: ORIGIN, localStorage: [], sessionStorage: [], url: `${ORIGIN}/home` },
    ...{ loginPages: [], loginFields: [], hasPasswordField: false },
  };
  const probe = (status: number) => probeSession(owner, session, siteWith(status));
  assert.deepEqual(await Promise.all([0, 502, 401].map(probe)), ['unknown', 'unknown', 'ended']);
});

test('work is repeated until its result is final, or no pause is left', async () => {
  let times = 0;
  const work = async () => (times += 1);
  assert.equal(await withPauses(work, (result) => result >= 2, [0, 0, 0], signal), 2);
  assert.equal(await withPauses(work, () => false, [0, 0], signal), 5);
});
