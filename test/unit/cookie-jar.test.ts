import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionCookie } from '../../src/domain/login-session.ts';
import { createCookieJar } from '../../src/spider/cookie-jar.ts';

const COOKIE: SessionCookie = {
  ...{ name: 'sid', value: 'one', domain: 'example.com', path: '/', expires: null, port: 443 },
  ...{ httpOnly: true, secure: true, sameSite: 'Lax' },
};

test('cookies of a browser are sent where the browser would send them', async () => {
  const jar = await createCookieJar([
    COOKIE,
    { ...COOKIE, name: 'wide', domain: '.example.com', port: null },
    { ...COOKIE, name: 'deep', path: '/deep' },
    { ...COOKIE, name: 'old', expires: 1 },
  ]);
  assert.equal(jar.headerFor('https://example.com/'), 'sid=one; wide=one');
  assert.equal(jar.headerFor('https://app.example.com/'), 'wide=one');
  assert.equal(jar.headerFor('https://example.com/deep/page'), 'deep=one; sid=one; wide=one');
  assert.equal(jar.headerFor('http://example.com/'), '');
});

test('cookies that responses set replace cookies of the login, and return to browsers', async () => {
  const jar = await createCookieJar([COOKIE, { ...COOKIE, name: 'gone' }]);
  jar.receive('https://example.com/', [
    'sid=two; Path=/; HttpOnly; Secure; SameSite=Strict',
    'gone=; Max-Age=0; Path=/',
    'theme=dark; Domain=example.com; Path=/',
    'foreign=1; Domain=example.org',
    'not a cookie',
  ]);
  assert.equal(jar.headerFor('https://example.com/'), 'sid=two; theme=dark');
  const [sid, theme, ...others] = jar.cookies();
  assert.deepEqual(others, []);
  assert.deepEqual(sid, { ...COOKIE, value: 'two', sameSite: 'Strict' });
  assert.equal(theme?.domain, '.example.com');
});

test('cookies with ever new names push out each other, but no cookie of the login', async () => {
  const jar = await createCookieJar([COOKIE]);
  const url = 'https://example.com/';
  for (let turn = 0; turn < 300; turn += 1)
    jar.receive(url, [`nonce.${turn}=${turn}; Path=/`, 'sid=new; Path=/; Secure']);
  jar.receive(url, ['nonce.299=; Max-Age=0; Path=/', `huge=${'x'.repeat(5_000)}; Path=/`]);
  assert.equal(jar.takeNewValues().length, 601);
  const names = jar.cookies().map(({ name }) => name);
  assert.deepEqual([names.length, names[0], names[1], names.at(-1)], [50, 'sid', 'nonce.250', 'nonce.298']);
  for (let turn = 0; turn < 300; turn += 1) jar.receive(url, [`long.${turn}=${'x'.repeat(2_000)}; Path=/`]);
  assert.ok(jar.headerFor(url).length < 40_000);
  // The next crawl of the report continues with the same cookies.
  const next = await createCookieJar(jar.cookies());
  assert.equal(next.headerFor(url), jar.headerFor(url));
});
