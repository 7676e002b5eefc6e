import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessHeaders, NO_ACCESS, ownOrigins } from '../../src/domain/site-access.ts';
import { createCredentials } from '../../src/spider/credentials.ts';

/** Starting URL, where it redirected (null: not yet known), and the origins that get the credentials. */
const ORIGINS: readonly (readonly [start: string, site: string | null, origins: readonly string[]])[] = [
  ['https://a.test/x', 'https://a.test/y', ['https://a.test']],
  ['https://a.test/', null, ['https://a.test', 'https://www.a.test']],
  ['https://a.test/', 'https://www.a.test/', ['https://a.test', 'https://www.a.test']],
  ['https://www.a.test/', 'https://a.test/', ['https://www.a.test', 'https://a.test']],
  // Credentials for https are never sent unencrypted, regardless of where the site redirects.
  ['https://a.test/', 'http://a.test/', ['https://a.test']],
  ['https://a.test/', 'http://www.a.test/', ['https://a.test', 'https://www.a.test']],
  ['http://a.test/', 'http://a.test/', ['https://a.test', 'http://a.test']],
  ['http://a.test/', 'https://a.test/', ['https://a.test']],
  ['http://a.test/', 'https://www.a.test/', ['https://a.test', 'https://www.a.test']],
  // Other sites, other ports and other parts of a domain get nothing.
  ['https://a.test/', 'https://b.test/', ['https://a.test']],
  ['http://a.test/', 'https://b.test/', ['https://a.test', 'http://a.test']],
  ['https://a.test/', 'https://m.a.test/', ['https://a.test']],
  ['https://a.test:8443/', 'https://a.test/', ['https://a.test:8443']],
  [
    'http://a.test:8080/',
    'http://www.a.test:8080/',
    ['http://a.test:8080', 'http://www.a.test:8080', 'https://a.test:8080', 'https://www.a.test:8080'],
  ],
  ['http://127.0.0.1:80/', 'http://127.0.0.1/', ['https://127.0.0.1', 'http://127.0.0.1']],
  ['https://127.0.0.1:81/', null, ['https://127.0.0.1:81']],
  ['http://[::1]:81/', 'http://[::1]:81/', ['https://[::1]:81', 'http://[::1]:81']],
];

describe('site credentials', () => {
  test('are sent to the origin of the starting URL', () => {
    for (const [start, site, origins] of ORIGINS) {
      assert.deepEqual([...ownOrigins(start, site)].sort(), [...origins].sort(), `${start} to ${site}`);
    }
  });

  test('are encoded as RFC 7617 and RFC 6265 require', () => {
    const access = {
      basicAuth: { username: 'Aladdin', password: 'open sesame' },
      headers: { 'x-a': '1' },
      cookies: {},
    };
    assert.deepEqual(accessHeaders(access), { 'x-a': '1', authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' });
    // The example of RFC 7617, 2.1, in UTF-8.
    assert.equal(
      accessHeaders({ ...NO_ACCESS, basicAuth: { username: 'test', password: '123£' } })['authorization'],
      'Basic dGVzdDoxMjPCow==',
    );
    const { headersFor } = createCredentials(
      { ...access, cookies: { a: '1', b: 'x=y z' } },
      { startingUrl: 'https://a.test/', siteUrl: null },
    );
    assert.equal(headersFor('https://a.test/page')['cookie'], 'a=1; b=x=y z');
    assert.deepEqual(headersFor('https://a.test.evil.test/'), {});
    assert.deepEqual(headersFor('http://a.test/'), {});
  });

  test('go nowhere else once the site is known', () => {
    const credentials = createCredentials(
      { ...NO_ACCESS, headers: { 'x-a': '1' } },
      { startingUrl: 'https://a.test/', siteUrl: null },
    );
    assert.deepEqual(credentials.headersFor('https://www.a.test/'), { 'x-a': '1' });
    credentials.moveTo('https://a.test/start');
    assert.deepEqual(credentials.headersFor('https://www.a.test/'), {});
    assert.deepEqual(credentials.headersFor('https://a.test/'), { 'x-a': '1' });
  });
});
