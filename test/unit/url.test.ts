import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { urlMaxCharacters } from '../../src/spider/limits.ts';
import { normaliseUrl, siteOf } from '../../src/spider/url.ts';
import { anyCharacter, anyUrl, fc } from '../helpers/random.ts';

describe('normaliseUrl', () => {
  const cases: readonly [raw: string, base: string | undefined, expected: string | null][] = [
    ['http://Example.ORG', undefined, 'http://example.org/'],
    ['HTTPS://example.org:443/a/../b#c', undefined, 'https://example.org/b'],
    ['http://example.org:8080/', undefined, 'http://example.org:8080/'],
    ['http://example.org/#', undefined, 'http://example.org/'],
    ['http://example.org/?', undefined, 'http://example.org/?'],
    ['http://example.org/A/?b=2&a=1', undefined, 'http://example.org/A/?b=2&a=1'],
    ['http://EXAMPLE.org:80/a', undefined, 'http://example.org/a'],
    ['https://example.org:80/', undefined, 'https://example.org:80/'],
    ['http://example.org/%7Eme/~me/%7eme', undefined, 'http://example.org/%7Eme/~me/%7eme'],
    ['http://example.org/a/./b/%2e%2E/c//', undefined, 'http://example.org/a/c//'],
    ['\\\\example.org\\a\\b?c\\d', 'https://example.org/', 'https://example.org/a/b?c\\d'],
    ['/a\r\n/b\tc', 'https://example.org/', 'https://example.org/a/bc'],
    ['HTTP://XN--MNCHEN-3YA.DE./', undefined, 'http://xn--mnchen-3ya.de./'],
    ['http://user:secret@example.org/a', undefined, 'http://example.org/a'],
    ['http://münchen.de/straße?ä=ö', undefined, 'http://xn--mnchen-3ya.de/stra%C3%9Fe?%C3%A4=%C3%B6'],
    ['  \n/a\tb ', 'http://example.org/x/', 'http://example.org/ab'],
    ['//other.org/a', 'https://example.org/', 'https://other.org/a'],
    ['?page=2', 'https://example.org/list?page=1', 'https://example.org/list?page=2'],
    ['', 'https://example.org/list#top', 'https://example.org/list'],
    ['http://0x7f.1/', undefined, 'http://127.0.0.1/'],
    ['mailto:a@example.org', 'http://example.org/', null],
    ['javascript:alert(1)', 'http://example.org/', null],
    ['data:text/html,x', 'http://example.org/', null],
    ['ftp://example.org/', undefined, null],
    ['relative', undefined, null],
    ['http://', undefined, null],
    ['http://exa mple.org/', undefined, null],
  ];
  for (const [raw, base, expected] of cases) {
    it(`returns ${expected} for ${JSON.stringify(raw)}`, () => assert.equal(normaliseUrl(raw, base), expected));
  }

  it('accepts URLs up to the limit, without their fragment', () => {
    const origin = 'http://example.org/';
    const longest = origin + 'a'.repeat(urlMaxCharacters - origin.length);
    assert.equal(normaliseUrl(longest), longest);
    assert.equal(normaliseUrl(`${longest}#${'b'.repeat(100)}`), longest);
    assert.equal(normaliseUrl(`${longest}a`), null);
    assert.equal(normaliseUrl(`${origin}${'ä'.repeat(400)}`), null, 'the encoded form counts');
  });

  it('is idempotent, in ASCII, without fragment or credentials', () => {
    const text = fc.oneof(anyUrl, fc.string(), fc.string({ unit: anyCharacter }));
    fc.assert(
      fc.property(text, anyUrl, (raw, base) => {
        const once = normaliseUrl(raw, base);
        if (once === null) return;
        assert.equal(normaliseUrl(once), once);
        assert.equal(normaliseUrl(once, base), once);
        assert.match(once, /^https?:\/\/[\x21-\x7e]+$/);
        const { hash, username, password } = new URL(once);
        assert.deepEqual([hash, username, password], ['', '', '']);
      }),
      { numRuns: 500 },
    );
  });
});

describe('siteOf', () => {
  it('is the host with the port that is not the default', () => {
    assert.equal(siteOf('http://Example.org/a'), 'example.org');
    assert.equal(siteOf('https://example.org:443/'), 'example.org');
    assert.equal(siteOf('https://example.org:80/'), 'example.org:80');
    assert.equal(siteOf('http://[::1]:8080/'), '[::1]:8080');
  });
});
