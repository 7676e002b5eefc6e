import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredUrl, UrlOutcome } from '../../src/domain/crawl.ts';
import { fullTextBytes, unvisitedTextMaxBytes, urlMaxCharacters } from '../../src/spider/limits.ts';
import { type Answer, crawl, newFrontier, outcomesOf, type Site, start } from '../helpers/named-site.ts';

/** The limits of the URLs of a crawl. */

test('URLs of other sites and excluded ones displace no page', () => {
  const elsewhere = Array.from({ length: 20 }, (_, index) => `x${index}`);
  const excluded = Array.from({ length: 20 }, (_, index) => `e${index}`);
  const site: Site = new Map([['a', { links: [...elsewhere, ...excluded, 'b', 'c', 'd'] }]]);
  const narrow = { discoveredUrlsMax: 3, unvisitedUrlsMax: 5 };
  const { pages, changes, notKept } = crawl(site, newFrontier(10, start('a'), narrow));
  assert.deepEqual(pages, ['a', 'b', 'c']);
  assert.equal(changes.filter(({ outcome }) => outcome === 'off_site').length, 5);
  assert.equal(changes.filter(({ outcome }) => outcome === 'excluded').length, 5);
  assert.equal(notKept, 15 + 15 + 1);
});

test('a URL that is too long to be stored is counted, and breaks nothing', () => {
  const site: Site = new Map([['a', { links: ['b'.repeat(urlMaxCharacters + 1), 'c'.repeat(urlMaxCharacters), 'd'] }]]);
  const { pages, changes, notKept } = crawl(site, newFrontier(10, start('a')));
  assert.deepEqual(pages, ['a', 'c'.repeat(urlMaxCharacters), 'd']);
  assert.ok(changes.every(({ url }) => url.length <= urlMaxCharacters));
  assert.equal(notKept, 1);
});

/** Verifies the limits by counting the characters that are kept. */
function textBytesOf(urls: Iterable<DiscoveredUrl>, ...outcomes: UrlOutcome[]): number {
  const kept = [...urls].filter(({ outcome }) => outcomes.length === 0 || outcomes.includes(outcome));
  return kept.map((entry) => [entry.url, entry.linkedFrom, entry.target].join('').length).reduce((a, b) => a + b, 0);
}

const longest = (name: string): string => name.padEnd(2_000, '-');

test('URLs of 2,000 characters fill no more memory and disk than others', () => {
  const named = (kind: string) => Array.from({ length: 10_000 }, (_, index) => longest(`${kind}${index}-`));
  const moved = named('moved');
  const links = [...moved, ...named('x'), ...named('e')];
  const site: Site = new Map<string, Answer>([
    [longest('a'), { links }],
    ...moved.map((url): [string, Answer] => [url, { redirect: `to-${url}` }]),
    ...moved.map((url): [string, Answer] => [`to-${url}`, 'not_html']),
  ]);
  const enough = { discoveredUrlsMax: 500_000, unvisitedUrlsMax: 100_000 };
  const frontier = newFrontier(10_000, start(longest('a')), enough);
  const { pages, changes, notKept } = crawl(site, frontier);
  const urls = [...outcomesOf(changes, longest('a')).values()];
  const ofOneVisit = 6 * 2_048;
  assert(textBytesOf(urls, 'off_site') < unvisitedTextMaxBytes + ofOneVisit);
  assert(textBytesOf(urls) < fullTextBytes + 2 * unvisitedTextMaxBytes + 3 * ofOneVisit);
  assert.deepEqual([pages.length, frontier.isFull()], [1, true]);
  const kept = new Set(urls.map(({ url }) => url));
  assert.equal(links.filter((url) => kept.has(url)).length + notKept, links.length);
  const again = crawl(site, newFrontier(10_000, urls, enough));
  assert.deepEqual([again.changes, again.notKept], [[], 0]);
});

test('a site with 100,000 URLs of 80 characters is kept completely', () => {
  const named = (kind: string, index: number) => `${kind}/${index}/`.padEnd(80, '-');
  const linksOf = (index: number) => [...Array(1_000).keys()].map((link) => named('page', index * 1_000 + link + 1));
  const site: Site = new Map(
    [...Array(100).keys()].map((index): [string, Answer] => [named('page', index), { links: linksOf(index) }]),
  );
  const enough = { discoveredUrlsMax: 500_000, unvisitedUrlsMax: 100_000 };
  const { changes, notKept } = crawl(site, newFrontier(100, start(named('page', 0)), enough));
  assert.deepEqual([outcomesOf(changes, named('page', 0)).size, notKept], [100_001, 0]);
});
