import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DiscoveredUrl, FrontierEntry } from '../../src/domain/crawl.ts';
import { createFrontier, type Frontier, type Visit, type VisitEnd } from '../../src/spider/frontier.ts';

type Answer = { links: string[]; canonical?: string } | { redirect: string } | 'failed' | 'not_html';
type Site = ReadonlyMap<string, Answer>;

function judge(url: string): 'inside' | 'outside' | 'excluded' {
  if (url.startsWith('x')) return 'outside';
  return url.startsWith('e') ? 'excluded' : 'inside';
}

function start(...urls: string[]): DiscoveredUrl[] {
  return urls.map((url, position) => ({ position, url, linkedFrom: null, depth: 0, outcome: null, target: null }));
}

function newFrontier(maxPages: number, discovered: readonly DiscoveredUrl[], linkDepthMax = Number.POSITIVE_INFINITY) {
  return createFrontier({ maxPages, linkDepthMax, discoveredUrlsMax: 1_000, visitsInFlightMax: 4, judge }, discovered);
}

/** Visits a URL of a site as the spider does: redirects and one canonical link are followed when the frontier asks. */
function visit(site: Site, frontier: Frontier, entry: FrontierEntry): Visit {
  const hops: string[] = [];
  const isStart = entry.position === 0;
  if (!isStart && judge(entry.url) !== 'inside') return { hops, end: { kind: 'stopped' }, canonical: null };
  for (;;) {
    const answer = site.get(hops.at(-1) ?? entry.url) ?? 'failed';
    if (typeof answer === 'object' && 'redirect' in answer) {
      if (answer.redirect === entry.url || hops.includes(answer.redirect)) {
        return { hops, end: { kind: 'failed' }, canonical: null };
      }
      hops.push(answer.redirect);
      const isNew = frontier.outcomeOf(answer.redirect) === 'unknown';
      if (isNew && (isStart || judge(answer.redirect) === 'inside')) continue;
      return { hops, end: { kind: 'stopped' }, canonical: null };
    }
    if (typeof answer === 'string') return { hops, end: { kind: answer }, canonical: null };
    const own = site.get(answer.canonical ?? '');
    const isDocument = typeof own === 'object' && 'links' in own;
    const canonical = answer.canonical !== undefined && isDocument && judge(answer.canonical) === 'inside';
    return {
      hops,
      end: { kind: 'document', links: answer.links },
      canonical: canonical ? { url: answer.canonical ?? '', end: { kind: 'document', links: own.links } } : null,
    };
  }
}

/** Crawls with up to four visits under way, begun as early as possible; `delays` says how late each visit looks. */
function crawl(site: Site, frontier: Frontier, delays: readonly number[] = []) {
  const pages: string[] = [];
  const changes: DiscoveredUrl[] = [];
  const pending: { entry: FrontierEntry; visit: Visit | null; delay: number }[] = [];
  let begun = 0;
  for (;;) {
    for (let entry = frontier.next(); entry !== null; entry = frontier.next()) {
      pending.push({ entry, visit: null, delay: delays[begun % Math.max(1, delays.length)] ?? 0 });
      begun += 1;
      assert(begun < 5_000, 'the crawl ends');
      if (entry.position === 0) break;
    }
    const head = pending[0];
    if (head === undefined) return { pages, changes };
    // A visit asks the frontier what it knows at a time of its own, which must not change what comes of it.
    for (const item of pending) {
      item.delay -= 1;
      if (item.visit === null && (item.delay < 0 || item === head)) item.visit = visit(site, frontier, item.entry);
    }
    pending.shift();
    const settlement = frontier.settle<VisitEnd>(
      head.entry,
      head.visit ?? { hops: [], end: { kind: 'failed' }, canonical: null },
    );
    if (settlement.page !== null) pages.push(settlement.page.url);
    changes.push(...settlement.changed);
  }
}

test('pages come in the order of their discovery, level by level', () => {
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

test('without a deep crawl only the links of the starting and initial URLs are followed', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b'] }],
    ['i', { links: ['c'] }],
    ['b', { links: ['d'] }],
    ['c', { links: [] }],
    ['d', { links: [] }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a', 'i'), 0)).pages, ['a', 'i', 'b', 'c']);
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
    changes.filter((url) => url.target !== null).map((url) => [url.url, url.outcome]),
    [
      ['r1', 'outside'],
      ['r2', 'excluded'],
    ],
  );
});

test('the canonical URL stands for its page, unless nobody answers there', () => {
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

test('pages that name each other as canonical are not both lost', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd'] }],
    ['b', { links: [], canonical: 'c' }],
    ['c', { links: [], canonical: 'd' }],
    ['d', { links: [], canonical: 'b' }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a'))).pages, ['a', 'd']);
});

test('URLs that redirect to each other are told as failed, not lost', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd'] }],
    ['b', { redirect: 'c' }],
    ['c', { redirect: 'b' }],
    ['d', { redirect: 'd' }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a'))).pages, ['a', 'c', 'd']);
});

const names = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'e1', 'x1'];
const url = fc.constantFrom(...names);
const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ links: fc.uniqueArray(url), canonical: url }, { requiredKeys: ['links'] }) },
  { weight: 2, arbitrary: fc.record({ redirect: url }) },
  { weight: 1, arbitrary: fc.constantFrom('failed' as const, 'not_html' as const) },
);
const site = fc
  .tuple(...names.map((name) => answer.map((value) => [name, value] as const)))
  .map((entries): Site => new Map(entries));
const delays = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 });

test('whatever the timing, the same site gives the same pages, each once, at most max_pages', () => {
  fc.assert(
    fc.property(site, delays, fc.integer({ min: 1, max: 12 }), (anySite, anyDelays, maxPages) => {
      const frontier = newFrontier(maxPages, start('a', 'b'));
      const { pages, changes } = crawl(anySite, frontier, anyDelays);
      assert.deepEqual(pages, crawl(anySite, newFrontier(maxPages, start('a', 'b'))).pages);
      assert.equal(new Set(pages).size, pages.length);
      assert(pages.length <= maxPages);
      assert.equal(frontier.numPages(), pages.length);
      const positions = new Map(changes.map((change) => [change.position, change.url]));
      assert.equal(new Set(positions.values()).size, positions.size);
    }),
    { numRuns: 2_000 },
  );
});

test('a crawl broken off anywhere ends with the same pages', () => {
  fc.assert(
    fc.property(
      site,
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (anySite, stopAfter, maxPages) => {
        const whole = crawl(anySite, newFrontier(maxPages, start('a'))).pages;
        const first = newFrontier(maxPages, start('a'));
        const saved = new Map(start('a').map((entry) => [entry.position, entry]));
        const pages: string[] = [];
        for (let step = 0; step < stopAfter; step += 1) {
          const entry = first.next();
          if (entry === null) break;
          const settlement = first.settle<VisitEnd>(entry, visit(anySite, first, entry));
          if (settlement.page !== null) pages.push(settlement.page.url);
          for (const change of settlement.changed) saved.set(change.position, change);
        }
        const rest = crawl(anySite, newFrontier(maxPages, [...saved.values()]));
        assert.deepEqual([...pages, ...rest.pages], whole);
      },
    ),
    { numRuns: 2_000 },
  );
});
