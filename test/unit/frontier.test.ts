import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, crawl, newFrontier, outcomesOf, type Site, start } from '../helpers/named-site.ts';

test('pages are in the order of discovery, level by level', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c'] }],
    ['b', { links: ['d', 'a'] }],
    ['c', { links: ['e1', 'x', 'd'] }],
    ['d', 'failed' as const],
  ]);
  const { pages, changes } = crawl(site, newFrontier(10, start('a')));
  assert.deepEqual(pages, ['a', 'b', 'c', 'd']);
  assert.deepEqual(
    changes.filter((url) => url.outcome === 'excluded').map((url) => [url.url, url.linkedFrom]),
    [['e1', 'c']],
  );
});

test('a shallow crawl follows only links of the starting and initial URLs', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b'] }],
    ['i', { links: ['c'] }],
    ['b', { links: ['d'] }],
    ['c', { links: [] }],
    ['d', { links: [] }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a', 'i'), { linkDepthMax: 0 })).pages, ['a', 'i', 'b', 'c']);
});

test('a redirect to a known URL gives no page of its own, one to a new URL gives the page there', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['r1', 'r2', 'b'] }],
    ['r1', { redirect: 'b' }],
    ['r2', { redirect: 'r3' }],
    ['r3', { redirect: 'c' }],
    ['b', { links: [] }],
    ['c', { links: [] }],
  ]);
  const { pages, changes } = crawl(site, newFrontier(10, start('a')));
  assert.deepEqual(pages, ['a', 'c', 'b']);
  const redirected = changes.filter((url) => url.outcome === 'redirected').map((url) => [url.url, url.target]);
  assert.deepEqual(redirected, [
    ['r1', 'b'],
    ['r3', 'c'],
    ['r2', 'c'],
  ]);
});

test('a redirect away from the site, or to an excluded URL, gives no page', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['r1', 'r2'] }],
    ['r1', { redirect: 'x' }],
    ['r2', { redirect: 'e' }],
  ]);
  const { pages, changes } = crawl(site, newFrontier(10, start('a')));
  assert.deepEqual(pages, ['a']);
  assert.deepEqual(
    changes.slice(3).map((url) => [url.url, url.outcome, url.target]),
    [
      ['r1', 'redirected', 'x'],
      ['x', 'off_site', null],
      ['r2', 'redirected', 'e'],
      ['e', 'excluded', null],
    ],
  );
});

test('starting and initial URLs that are not included are visited only for their links', () => {
  const site: Site = new Map<string, Answer>([
    ['u-start', { links: ['a', 'u-linked', 'u-target'], canonical: 'u-linked' }],
    ['u-initial', { redirect: 'u-target' }],
    ['u-target', { links: ['b'] }],
    ['u-moved', { redirect: 'c' }],
    ['u-canonical', { links: ['f'], canonical: 'd' }],
    ['a', { links: ['r', 'u-initial'] }],
    ['r', { redirect: 'u-linked' }],
    ...['b', 'c', 'd', 'f', 'u-linked'].map((name): [string, Answer] => [name, { links: [], canonical: 'u-start' }]),
  ]);
  const first = ['u-start', 'u-initial', 'u-moved', 'u-canonical', 'u-failed', 'e'];
  const { pages, changes } = crawl(site, newFrontier(10, start(...first)));
  assert.deepEqual(pages, ['c', 'd', 'u-failed', 'a', 'b', 'f']);
  const outcomes = [...outcomesOf(changes, ...first).values()].map((url) => [url.url, url.outcome, url.target]);
  assert.deepEqual(
    outcomes.filter(([, outcome]) => outcome !== 'page'),
    [
      ['u-start', 'not_included', null],
      ['u-initial', 'redirected', 'u-target'],
      ['u-moved', 'redirected', 'c'],
      ['u-canonical', 'duplicate', 'd'],
      ['u-failed', 'failed', null],
      ['e', 'excluded', null],
      ['u-linked', 'not_included', null],
      ['u-target', 'not_included', null],
      ['r', 'redirected', 'u-linked'],
    ],
  );
});

test('a starting URL that is not included leaves all pages of a report to the others', () => {
  const site: Site = new Map<string, Answer>([
    ['u', { links: ['a', 'b'] }],
    ['a', { links: [] }],
    ['b', { links: [] }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(1, start('u'))).pages, ['a']);
  assert.deepEqual(crawl(site, newFrontier(2, start('u'), { linkDepthMax: 0 })).pages, ['a', 'b']);
});

test('the canonical URL replaces its page, unless it does not respond', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd'] }],
    ['b', { links: [], canonical: 'new' }],
    ['new', { links: ['late'] }],
    ['c', { links: [], canonical: 'gone' }],
    ['d', { links: [], canonical: 'a' }],
    ['late', { links: [], canonical: 'late' }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a'))).pages, ['a', 'new', 'c', 'late']);
});

test('canonical URLs are followed once, and a known redirect does not count as one', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'moved', 'f', 'g'] }],
    ['b', { links: [], canonical: 'c' }],
    ['c', { links: [], canonical: 'd' }],
    ['d', { links: [] }],
    ['moved', { redirect: 'd' }],
    ['f', { links: [], canonical: 'moved' }],
    ['g', { links: [], canonical: 'b' }],
  ]);
  const { pages, changes } = crawl(site, newFrontier(10, start('a')));
  // A canonical URL is followed once: the canonical link of its document does not count.
  assert.deepEqual(pages, ['a', 'c', 'd', 'f']);
  const duplicates = changes.filter(({ outcome }) => outcome === 'duplicate').map(({ url, target }) => [url, target]);
  assert.deepEqual(duplicates, [
    ['b', 'c'],
    ['g', 'b'],
  ]);
});

test('pages that name each other as canonical are not both lost', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd'] }],
    ['b', { links: [], canonical: 'c' }],
    ['c', { links: [], canonical: 'd' }],
    ['d', { links: [], canonical: 'b' }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a'))).pages, ['a', 'd']);
});

test('URLs that redirect to each other are failed, not lost', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd'] }],
    ['b', { redirect: 'c' }],
    ['c', { redirect: 'b' }],
    ['d', { redirect: 'd' }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a'))).pages, ['a', 'c', 'd']);
});

test('URLs that are too deep can still be reached by a redirect or a canonical link', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd', 'x'] }],
    ['b', { links: ['deep', 'moved-to', 'clean', 'x'] }],
    ['c', { redirect: 'moved-to' }],
    ['d', { links: [], canonical: 'clean' }],
    ['moved-to', { links: [] }],
    ['clean', { links: [] }],
  ]);
  const { pages, changes } = crawl(site, newFrontier(10, start('a'), { linkDepthMax: 0 }));
  assert.deepEqual(pages, ['a', 'b', 'moved-to', 'clean']);
  const tooDeep = [...outcomesOf(changes, 'a').values()].filter(({ outcome }) => outcome === 'too_deep');
  assert.deepEqual(
    tooDeep.map(({ url }) => url),
    ['deep'],
  );
});

test('links of duplicates are followed, for as many as there may be pages', () => {
  const list = (number: number): [string, Answer] => [
    `list${number}`,
    { links: [`item${number}`, `list${number + 1}`], canonical: 'list0' },
  ];
  const site: Site = new Map<string, Answer>([
    ['list0', { links: ['list1'] }],
    ...[1, 2, 3, 4, 5, 6, 7].map(list),
    ...[1, 2, 3, 4, 5, 6, 7].map((number): [string, Answer] => [`item${number}`, { links: [] }]),
  ]);
  assert.deepEqual(crawl(site, newFrontier(8, start('list0'))).pages.at(-1), 'item7');
  const { pages, notKept } = crawl(site, newFrontier(4, start('list0')));
  assert.deepEqual([pages, notKept], [['list0', 'item1', 'item2', 'item3'], 0]);
  const endless: Site = new Map(
    Array.from({ length: 200 }, (_, number) => [
      `s${number}`,
      { links: [`s${number + 1}`], ...(number > 0 && { canonical: 's0' }) },
    ]),
  );
  const bounded = crawl(endless, newFrontier(4, start('s0')));
  assert.deepEqual([bounded.pages, bounded.notKept], [['s0'], 1]);
  assert.equal(bounded.changes.at(-1)?.url, 's5');
});
