import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DiscoveredUrl, FrontierEntry, UrlOutcome } from '../../src/domain/crawl.ts';
import { createFrontier, type Frontier } from '../../src/spider/frontier.ts';
import type { LedgerLimits } from '../../src/spider/ledger.ts';
import {
  discoveredTextMaxBytes,
  fullTextBytes,
  unvisitedTextMaxBytes,
  urlMaxCharacters,
} from '../../src/spider/limits.ts';
import type { Judgement, Visit, VisitEnd } from '../../src/spider/visit.ts';

type Answer =
  | { links: string[]; canonical?: string }
  | { listed: string[] }
  | { redirect: string }
  | 'failed'
  | 'not_html';
type Site = ReadonlyMap<string, Answer>;

function judge(url: string): Judgement {
  if (url.startsWith('x')) return 'off_site';
  return url.startsWith('e') ? 'excluded' : 'inside';
}

function start(...urls: string[]): DiscoveredUrl[] {
  const found = { linkedFrom: null, depth: 0, target: null, httpStatus: null, detail: null } as const;
  return urls.map((url, position) => ({ position, url, outcome: 'waiting', ...found }));
}

function newFrontier(
  maxPages: number,
  discovered: readonly DiscoveredUrl[],
  limits: Partial<LedgerLimits> & { readonly linkDepthMax?: number } = {},
) {
  const roomy = {
    linkDepthMax: Number.POSITIVE_INFINITY,
    discoveredUrlsMax: 1_000,
    unvisitedUrlsMax: 1_000,
    discoveredTextMaxBytes,
    unvisitedTextMaxBytes,
    fullTextBytes,
  };
  return createFrontier({ maxPages, visitsInFlightMax: 4, judge, ...roomy, ...limits }, discovered);
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
    if ('listed' in answer) {
      if (!isStart) return { hops, end: { kind: 'not_html' }, canonical: null };
      const listed = answer.listed.map((url) => ({ url, linkedFrom: 'map' }));
      return { hops, end: { kind: 'sitemap', listed }, canonical: null };
    }
    const own = site.get(answer.canonical ?? '');
    const isDocument = typeof own === 'object' && 'links' in own;
    const isWanted = answer.canonical !== undefined && isDocument && !frontier.isListed();
    const canonical = isWanted && judge(answer.canonical ?? '') === 'inside';
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
  let notKept = 0;
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
    if (head === undefined) return { pages, changes, notKept };
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
    notKept += settlement.notKept;
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

test('a canonical URL is one step, and one that is known as a redirect counts for nothing', () => {
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
  // Each canonical URL is one step: what its document names in turn does not count for the page that led there.
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

test('URLs that redirect to each other are told as failed, not lost', () => {
  const site: Site = new Map<string, Answer>([
    ['a', { links: ['b', 'c', 'd'] }],
    ['b', { redirect: 'c' }],
    ['c', { redirect: 'b' }],
    ['d', { redirect: 'd' }],
  ]);
  assert.deepEqual(crawl(site, newFrontier(10, start('a'))).pages, ['a', 'c', 'd']);
});

/** What became of each URL in the end, by position. */
function ledgerOf(changes: readonly DiscoveredUrl[], ...first: string[]): Map<number, DiscoveredUrl> {
  return new Map([...start(...first), ...changes].map((url) => [url.position, url]));
}

const names = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'e1', 'x1'];
const url = fc.constantFrom(...names);
const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ links: fc.uniqueArray(url), canonical: url }, { requiredKeys: ['links'] }) },
  { weight: 2, arbitrary: fc.record({ redirect: url }) },
  { weight: 1, arbitrary: fc.constantFrom('failed' as const, 'not_html' as const) },
  { weight: 1, arbitrary: fc.record({ listed: fc.uniqueArray(url) }) },
);
const site = fc
  .tuple(...names.map((name) => answer.map((value) => [name, value] as const)))
  .map((entries): Site => new Map(entries));
const delays = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 });

const limits = fc.record({
  linkDepthMax: fc.constantFrom(0, Number.POSITIVE_INFINITY),
  discoveredUrlsMax: fc.constantFrom(3, 5, 1_000),
  unvisitedUrlsMax: fc.constantFrom(0, 1, 1_000),
  discoveredTextMaxBytes: fc.constantFrom(6, 12, 1_000),
  unvisitedTextMaxBytes: fc.constantFrom(0, 4, 1_000),
  fullTextBytes: fc.constantFrom(12, 18, 1_000),
});

test('whatever the timing, the same site gives the same pages and outcomes, each once, at most max_pages', () => {
  fc.assert(
    fc.property(site, delays, fc.integer({ min: 1, max: 12 }), limits, (anySite, anyDelays, maxPages, anyLimits) => {
      const frontier = newFrontier(maxPages, start('a', 'b'), anyLimits);
      const crawled = crawl(anySite, frontier, anyDelays);
      const { pages, changes } = crawled;
      assert.deepEqual(crawled, crawl(anySite, newFrontier(maxPages, start('a', 'b'), anyLimits)));
      assert.equal(new Set(pages).size, pages.length);
      assert(pages.length <= maxPages);
      assert.equal(frontier.numPages(), pages.length);
      const positions = new Map(changes.map((change) => [change.position, change.url]));
      assert.equal(new Set(positions.values()).size, positions.size);
    }),
    { numRuns: 2_000 },
  );
});

test('a crawl broken off anywhere ends with the same pages and outcomes', () => {
  fc.assert(
    fc.property(
      site,
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      limits,
      (anySite, stopAfter, maxPages, anyLimits) => {
        const whole = crawl(anySite, newFrontier(maxPages, start('a'), anyLimits));
        const first = newFrontier(maxPages, start('a'), anyLimits);
        const saved = new Map(start('a').map((entry) => [entry.position, entry]));
        const pages: string[] = [];
        for (let step = 0; step < stopAfter; step += 1) {
          const entry = first.next();
          if (entry === null) break;
          const settlement = first.settle<VisitEnd>(entry, visit(anySite, first, entry));
          if (settlement.page !== null) pages.push(settlement.page.url);
          for (const change of settlement.changed) saved.set(change.position, change);
        }
        const rest = crawl(anySite, newFrontier(maxPages, [...saved.values()], anyLimits));
        assert.deepEqual([...pages, ...rest.pages], whole.pages);
        for (const change of rest.changes) saved.set(change.position, change);
        assert.deepEqual([...saved.values()], [...ledgerOf(whole.changes, 'a').values()]);
      },
    ),
    { numRuns: 2_000 },
  );
});

/** The URLs that the answers to these visits hold. */
function foundIn(anySite: Site, ledger: Iterable<DiscoveredUrl>): string[] {
  return [...ledger].flatMap(({ url, outcome, target }) => {
    const answer = anySite.get(url);
    if (target !== null) return [target, ...(typeof answer === 'object' && 'links' in answer ? answer.links : [])];
    if (typeof answer !== 'object') return [];
    if (outcome === 'page' && 'links' in answer) return answer.links;
    return outcome === 'sitemap' && 'listed' in answer ? answer.listed : [];
  });
}

test('every URL that was found has exactly one outcome, or was counted when there was no room', () => {
  fc.assert(
    fc.property(site, delays, fc.integer({ min: 1, max: 12 }), limits, (anySite, anyDelays, maxPages, anyLimits) => {
      const frontier = newFrontier(maxPages, start('a', 'b'), anyLimits);
      const { pages, changes, notKept } = crawl(anySite, frontier, anyDelays);
      const ledger = [...ledgerOf(changes, 'a', 'b').values()].sort((a, b) => a.position - b.position);
      assert.deepEqual(
        ledger.map(({ position }) => position),
        ledger.map((_, index) => index),
        'no place is left out',
      );
      const known = new Set(ledger.map(({ url }) => url));
      assert.equal(known.size, ledger.length);
      const missing = new Set(foundIn(anySite, ledger)).difference(known);
      assert(missing.size <= notKept, `${[...missing]} are missing, and ${notKept} were counted`);
      const with_ = (...outcomes: UrlOutcome[]) => ledger.filter(({ outcome }) => outcomes.includes(outcome));
      const isSame = new Set(pages).symmetricDifference(new Set(with_('page', 'failed').map(({ url }) => url)));
      assert.equal(isSame.size, 0);
      if (with_('waiting').length > 0) assert(pages.length >= maxPages || frontier.isFull());
      if (anyLimits.linkDepthMax > 0) assert.equal(with_('too_deep').length, 0);
      for (const { target } of with_('redirected', 'duplicate')) assert(target !== null);
      for (const outcome of ['excluded', 'off_site', 'too_deep', 'not_listed'] as const) {
        assert(with_(outcome).length <= anyLimits.unvisitedUrlsMax, outcome);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('URLs of other sites and excluded ones push no page out', () => {
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

test('a URL that is longer than any may be stored is counted, and breaks nothing', () => {
  const site: Site = new Map([['a', { links: ['b'.repeat(urlMaxCharacters + 1), 'c'.repeat(urlMaxCharacters), 'd'] }]]);
  const { pages, changes, notKept } = crawl(site, newFrontier(10, start('a')));
  assert.deepEqual(pages, ['a', 'c'.repeat(urlMaxCharacters), 'd']);
  assert.ok(changes.every(({ url }) => url.length <= urlMaxCharacters));
  assert.equal(notKept, 1);
});

/** As many characters as they say, counted by what is kept and not by what the ledger says of itself. */
function textBytesOf(ledger: Iterable<DiscoveredUrl>, ...outcomes: UrlOutcome[]): number {
  const kept = [...ledger].filter(({ outcome }) => outcomes.length === 0 || outcomes.includes(outcome));
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
  const ledger = [...ledgerOf(changes, longest('a')).values()];
  const ofOneVisit = 6 * 2_048;
  assert(textBytesOf(ledger, 'off_site') < unvisitedTextMaxBytes + ofOneVisit);
  assert(textBytesOf(ledger) < fullTextBytes + 2 * unvisitedTextMaxBytes + 3 * ofOneVisit);
  assert.deepEqual([pages.length, frontier.isFull()], [1, true]);
  const kept = new Set(ledger.map(({ url }) => url));
  assert.equal(links.filter((url) => kept.has(url)).length + notKept, links.length);
  const again = crawl(site, newFrontier(10_000, ledger, enough));
  assert.deepEqual([again.changes, again.notKept], [[], 0]);
});

test('a site with 100,000 URLs of 80 characters is kept whole', () => {
  const named = (kind: string, index: number) => `${kind}/${index}/`.padEnd(80, '-');
  const linksOf = (index: number) => [...Array(1_000).keys()].map((link) => named('page', index * 1_000 + link + 1));
  const site: Site = new Map(
    [...Array(100).keys()].map((index): [string, Answer] => [named('page', index), { links: linksOf(index) }]),
  );
  const enough = { discoveredUrlsMax: 500_000, unvisitedUrlsMax: 100_000 };
  const { changes, notKept } = crawl(site, newFrontier(100, start(named('page', 0)), enough));
  assert.deepEqual([ledgerOf(changes, named('page', 0)).size, notKept], [100_001, 0]);
});

test('what is too deep is known as such, and still found where a redirect or a canonical link leads', () => {
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
  const tooDeep = [...ledgerOf(changes, 'a').values()].filter(({ outcome }) => outcome === 'too_deep');
  assert.deepEqual(
    tooDeep.map(({ url }) => url),
    ['deep'],
  );
});

test('the links of duplicates are followed, of no more of them than there may be pages', () => {
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
