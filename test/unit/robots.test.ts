import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRobotsTxt } from '../../src/spider/robots.ts';
import { fc } from '../helpers/random.ts';

const allows = (text: string, path: string, token = 'sitewarden'): boolean =>
  readRobotsTxt(text, token).allows(`https://site.example${path}`);

test('the longest matching rule wins, and of two equally long rules the allowing rule', () => {
  const text = 'User-agent: *\nDisallow: /\nAllow: /public\nDisallow: /public/secret\nAllow: /same\nDisallow: /same';
  const paths = ['/', '/public/a', '/public/secret/x', '/same', '/robots.txt', '/PUBLIC'];
  assert.deepEqual(
    paths.filter((path) => allows(text, path)),
    ['/public/a', '/same', '/robots.txt'],
  );
});

test('the groups for our token are combined, and replace those for everyone', () => {
  const text = `disallow: /nobody
    User-agent: OtherBot
    User-agent: SiteWarden/1.0 (friendly) # us
    Sitemap: https://site.example/map.xml
    Disallow: /a # a comment
    Crawl-delay: 2.5

    user-agent: *
    Disallow: /everybody
    User-Agent: sitewarden
    Disallow: /b`;
  const rules = readRobotsTxt(text, 'sitewarden');
  const allowed = ['/a', '/b', '/everybody', '/nobody'].filter((path) => rules.allows(`https://site.example${path}`));
  assert.deepEqual(allowed, ['/everybody', '/nobody']);
  assert.equal(rules.crawlDelay, 2.5);
  assert.deepEqual(rules.sitemaps, ['https://site.example/map.xml']);
  assert.equal(allows(text, '/a', 'somebody'), true);
  assert.equal(allows(text, '/everybody', 'somebody'), false);
  assert.equal(allows('User-agent: sitewardens\nDisallow: /', '/'), true);
});

test('wildcards, anchors and encodings match as the standard requires', () => {
  const cases: readonly [pattern: string, path: string, matches: boolean][] = [
    ['/fish', '/fish.html?x', true],
    ['/fish', '/Fish', false],
    ['/fish*', '/fishheads', true],
    ['/*.php$', '/a/b.php', true],
    ['/*.php$', '/a.php?x=1', false],
    ['/*.php', '/a.php5', true],
    ['/a*b*c$', '/abbbc', true],
    ['/a*b*c$', '/abcd', false],
    ['/a*a$', '/a', false],
    ['/$', '/', true],
    ['/$', '/x', false],
    ['*/x', '/deep/x', true],
    ['/?q=', '/?q=1', true],
    ['/ツ', '/%E3%83%84', true],
    ['/%e3%83%84', '/ツ', true],
    ['/%62%61', '/ba', true],
    ['/a%2Fb', '/a/b', false],
    ['/%zz', '/%zz', true],
  ];
  for (const [pattern, path, isMatch] of cases) {
    assert.equal(allows(`User-agent: *\nDisallow: ${pattern}`, path), !isMatch, `${pattern} on ${path}`);
  }
});

test('empty files and rules disallow nothing', () => {
  for (const text of [
    '',
    '\uFEFF',
    'User-agent: *\nDisallow:',
    '<!DOCTYPE html><p>Not found',
    'Disallow: /',
    ':::\n#',
  ]) {
    assert.equal(allows(text, '/x'), true, text);
  }
});

test('a pattern matches exactly what its regular expression matches', () => {
  const text = fc.stringMatching(/^[ab*]{0,6}$/);
  fc.assert(
    fc.property(text, fc.boolean(), fc.stringMatching(/^[ab]{0,8}$/), (pattern, isAnchored, path) => {
      const expected = new RegExp(`^/${pattern.replaceAll('*', '.*')}${isAnchored ? '$' : ''}`).test(`/${path}`);
      assert.equal(allows(`User-agent: *\nDisallow: /${pattern}${isAnchored ? '$' : ''}`, `/${path}`), !expected);
    }),
    { numRuns: 500 },
  );
});
