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
