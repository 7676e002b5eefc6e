import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createInclusions, inclusionProblem } from '../../src/spider/inclusion-matcher.ts';
import { normaliseUrl } from '../../src/spider/url.ts';
import { createUrlSelection } from '../../src/spider/url-selection.ts';
import { anyPath, anyUrl, fc } from '../helpers/random.ts';

describe('createInclusions', () => {
  const cases: readonly [entry: string, url: string, included: boolean][] = [
    ['https://example.org/blog', 'https://example.org/blog', true],
    ['https://example.org/blog', 'https://example.org/blogger', true],
    ['https://example.org/blog', 'http://example.org/blog/2026?a=1', true],
    ['HTTP://Example.org:80/blog#top', 'https://example.org/blog/', true],
    ['https://example.org/blog', 'https://example.org/en/blog', false],
    ['https://example.org/blog', 'https://other.org/blog', false],
    ['https://example.org', 'https://example.org/anything', true],
    ['https://example.org', 'https://example.org.test/', false],
    ['https://example.org/blog/', 'https://example.org/blog', true],
    ['/blog/', 'https://example.org/blog/a', true],
    ['/blog/', 'https://example.org/blog', true],
    ['/blog/', 'https://example.org/blog?page=2', true],
    ['/blog/', 'https://example.org/blogger', false],
    ['/blog/', 'https://example.org/blog.html', false],
    ['/blog/', 'https://example.org/en/blog/a', false],
    ['/blog/', 'https://example.org/?from=/blog/', false],
    ['/blog/', 'https://example.org/Blog/', false],
    ['/blog', 'https://example.org/blog.html', true],
    ['/list?tag=shoes', 'https://example.org/list?tag=shoes&page=2', true],
    ['/list?in=/a/', 'https://example.org/list?in=/a', false],
    ['/', 'https://example.org/anything', true],
    ['/.*', 'https://example.org/anything', false],
    ['/über uns/', 'https://example.org/%C3%BCber%20uns/', true],
    ['/über uns/', 'https://example.org/%C3%BCber%20uns', true],
    ['/%C3%BCber', 'https://example.org/%C3%BCber', true],
    ['  /blog/\r', 'https://example.org/blog/', true],
  ];
  for (const [entry, url, included] of cases) {
    it(`${JSON.stringify(entry)} ${included ? 'includes' : 'does not include'} ${url}`, () => {
      assert.equal(createInclusions([entry])(url), included);
    });
  }

  it('includes everything without entries', () => {
    assert(createInclusions([])('http://a/'));
    assert(createInclusions([' ', ''])('http://a/'));
  });
});

describe('inclusionProblem', () => {
  it('accepts paths and URLs', () => {
    const valid = ['/', '/shop/', '/über uns/', '/a*b', 'https://example.org', 'HTTP://example.org/a?b=c', '//shop'];
    for (const entry of valid) assert.equal(inclusionProblem(entry), null, entry);
  });

  it('refuses what would match nothing, or something else', () => {
    for (const entry of ['shop/', '*', '^/shop/', 'example.org/shop', 'ftp://example.org/', '?page=']) {
      assert.equal(inclusionProblem(entry), 'must begin with /, http:// or https://', entry);
    }
    for (const entry of ['/shop/*', 'https://example.org/shop/**']) {
      assert.match(inclusionProblem(entry) ?? '', /^must not end with \*/, entry);
    }
    for (const entry of ['/#/shop', 'https://example.org/#/shop']) {
      assert.match(inclusionProblem(entry) ?? '', /^must not contain #/, entry);
    }
    for (const entry of ['https://', 'http:///', 'https://a b/']) {
      assert.equal(inclusionProblem(entry), 'has invalid format', entry);
    }
  });
});

describe('createUrlSelection', () => {
  const url = anyUrl.map((raw) => normaliseUrl(raw) ?? 'http://example.org/');
  const entries = fc.array(
    fc.oneof(
      anyPath.map((path) => path.slice(0, 3)),
      anyUrl,
    ),
    { maxLength: 4 },
  );
  const select = (inclusions: readonly string[], exclusions: readonly string[]) =>
    createUrlSelection({
      ...{ starting_url: 'https://a.test/', initial_urls: [], site_access: null },
      ...{ inclusions, exclusions },
    }).select;

  it('gives exclusions precedence, regardless of inclusions and of the order of both', () => {
    fc.assert(
      fc.property(entries, entries, url, (inclusions, exclusions, target) => {
        const membership = select(inclusions, exclusions)(target);
        assert.equal(select(inclusions.toReversed(), exclusions.toReversed())(target), membership);
        assert.equal(membership === 'excluded', select([], exclusions)(target) === 'excluded');
        assert.equal(select([...inclusions, target], [...exclusions, target])(target), 'excluded');
        if (membership !== 'excluded') {
          assert.equal(membership, createInclusions(inclusions)(target) ? 'inside' : 'not_included');
          assert.equal(select([...inclusions, target], exclusions)(target), 'inside');
        }
      }),
    );
  });

  it('includes a URL if one of several inclusions does', () => {
    fc.assert(
      fc.property(entries, url, (inclusions, target) => {
        const some = inclusions.length === 0 || inclusions.some((entry) => createInclusions([entry])(target));
        assert.equal(createInclusions(inclusions)(target), some);
      }),
    );
  });
});

it('finds the one inclusion among many that matches, however they overlap', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '/', '?'), maxLength: 5 });
  const path = letters.map((rest) => `/${rest}`);
  const includesOne = (entry: string, text: string): boolean => {
    const folder = entry.endsWith('/') && !entry.includes('?') ? entry.slice(0, -1) : null;
    return text.startsWith(entry) || (folder !== null && (text === folder || text.startsWith(`${folder}?`)));
  };
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 12 }), path, (entries, text) => {
      const expected = entries.some((entry) => includesOne(entry, text));
      assert.equal(createInclusions(entries)(`https://site.example${text}`), expected);
      const absolute = entries.map((entry) => `http://site.example${entry}`);
      assert.equal(createInclusions(absolute)(`https://site.example${text}`), expected);
    }),
    { numRuns: 500 },
  );
});
