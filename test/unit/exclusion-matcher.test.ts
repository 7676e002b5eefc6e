import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createExclusionMatcher, createExclusions } from '../../src/spider/exclusion-matcher.ts';
import { normaliseUrl } from '../../src/spider/url.ts';
import { anyUrl, fc } from '../helpers/random.ts';

describe('createExclusions', () => {
  const cases: readonly [entry: string, url: string, excluded: boolean][] = [
    ['https://example.org/blog', 'https://example.org/blog', true],
    ['https://example.org/blog', 'https://example.org/blog/2026?a=1', true],
    ['https://example.org/blog', 'https://example.org/blogger', true],
    ['https://example.org/blog', 'http://example.org/blog/', true],
    ['HTTP://Example.org:80/blog#top', 'https://example.org/blog/', true],
    ['https://example.org/blog', 'https://example.org/en/blog', false],
    ['https://example.org/blog', 'https://other.org/blog', false],
    ['https://example.org', 'https://example.org/anything', true],
    ['https://example.org', 'https://example.org.test/', false],
    ['/blog/', 'https://example.org/en/blog/a', true],
    ['/blog/', 'https://example.org/blog', false],
    ['/blog/', 'https://example.org/Blog/', false],
    ['private', 'https://example.org/a?view=private', true],
    ['private', 'https://private.example.org/', false],
    ['?print', 'https://example.org/a?print=1', true],
    ['.*', 'https://example.org/anything', false],
    ['/über uns/', 'https://example.org/%C3%BCber%20uns/', true],
    ['/%C3%BCber', 'https://example.org/%C3%BCber', true],
    ['  /blog/\r', 'https://example.org/blog/', true],
    ['', 'https://example.org/', false],
    ['   ', 'https://example.org/', false],
    ['https://', 'https://example.org/', false],
  ];
  for (const [entry, url, excluded] of cases) {
    it(`${JSON.stringify(entry)} ${excluded ? 'excludes' : 'does not exclude'} ${url}`, () => {
      assert.equal(createExclusions([entry]).exclusionOf(url), excluded ? entry.trim() : null);
    });
  }

  it('excludes nothing without entries', () => assert.equal(createExclusions([]).exclusionOf('http://a/'), null));

  it('excludes URLs that match any entry', () => {
    const url = anyUrl.map((raw) => normaliseUrl(raw) ?? 'http://example.org/');
    const entries = fc.array(fc.oneof(fc.string({ maxLength: 3 }), anyUrl), { maxLength: 5 });
    fc.assert(
      fc.property(entries, url, (list, target) => {
        const first = list.find((entry) => createExclusions([entry]).exclusionOf(target) !== null);
        assert.equal(createExclusions(list).exclusionOf(target), first?.trim() ?? null);
        assert.equal(createExclusions([...list, target]).exclusionOf(target), first?.trim() ?? target);
      }),
    );
  });
});

it('a report with credentials does not visit URLs that sign out, unless they are named', () => {
  const definition = {
    starting_url: 'https://a.test/',
    initial_urls: ['https://a.test/account/logout'],
    exclusions: ['/old/'],
    site_access: Buffer.of(1),
  };
  const reasonFor = createExclusionMatcher(definition);
  assert.deepEqual(reasonFor('https://a.test/logout'), { code: 'signs_out', params: {} });
  assert.deepEqual(reasonFor('https://a.test/old/logout'), { code: 'excluded', params: { text: '/old/' } });
  assert.equal(reasonFor('https://a.test/account/logout'), null);
  assert.equal(reasonFor('https://a.test/a'), null);
  assert.equal(createExclusionMatcher({ ...definition, site_access: null })('https://a.test/logout'), null);
});
