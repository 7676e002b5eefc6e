import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredUrl, UrlOutcome } from '../../src/domain/crawl.ts';
import { type Answer, crawl, newFrontier, outcomesOf, type Site, start, visit } from '../helpers/named-site.ts';
import { fc } from '../helpers/random.ts';

/** Properties of every crawl, for any site, timing and limits. */

const names = ['a', 'b', 'c', 'd', 'f', 'g', 'h', 'i', 'j', 'e1', 'x1', 'u1', 'u2'];
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

test('the same site gives the same pages and outcomes with any timing, each once, at most max_pages', () => {
  fc.assert(
    fc.property(site, delays, fc.integer({ min: 1, max: 12 }), limits, (anySite, anyDelays, maxPages, anyLimits) => {
      const frontier = newFrontier(maxPages, start('a', 'b', 'u1'), anyLimits);
      const crawled = crawl(anySite, frontier, anyDelays);
      const { pages, changes } = crawled;
      assert.deepEqual(crawled, crawl(anySite, newFrontier(maxPages, start('a', 'b', 'u1'), anyLimits)));
      assert.equal(new Set(pages).size, pages.length);
      assert(pages.length <= maxPages);
      assert.equal(frontier.numPages(), pages.length);
      const positions = new Map(changes.map((change) => [change.position, change.url]));
      assert.equal(new Set(positions.values()).size, positions.size);
    }),
    { numRuns: 500 },
  );
});

test('a crawl interrupted anywhere ends with the same pages and outcomes', () => {
  fc.assert(
    fc.property(
      site,
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      limits,
      (anySite, stopAfter, maxPages, anyLimits) => {
        const whole = crawl(anySite, newFrontier(maxPages, start('u2', 'a'), anyLimits));
        const first = newFrontier(maxPages, start('u2', 'a'), anyLimits);
        const saved = new Map(start('u2', 'a').map((entry) => [entry.position, entry]));
        const pages: string[] = [];
        for (let step = 0; step < stopAfter; step += 1) {
          const entry = first.next();
          if (entry === null) break;
          const settlement = first.record(entry, visit(anySite, first, entry));
          if (settlement.page !== null) pages.push(settlement.page.url);
          for (const change of settlement.changed) saved.set(change.position, change);
        }
        const rest = crawl(anySite, newFrontier(maxPages, [...saved.values()], anyLimits));
        assert.deepEqual([...pages, ...rest.pages], whole.pages);
        for (const change of rest.changes) saved.set(change.position, change);
        assert.deepEqual([...saved.values()], [...outcomesOf(whole.changes, 'u2', 'a').values()]);
      },
    ),
    { numRuns: 500 },
  );
});

function foundIn(anySite: Site, urls: Iterable<DiscoveredUrl>): string[] {
  return [...urls].flatMap(({ url, outcome, target, linkedFrom, depth }) => {
    const answer = anySite.get(url);
    if (target !== null) return [target, ...(typeof answer === 'object' && 'links' in answer ? answer.links : [])];
    if (typeof answer !== 'object') return [];
    const isRead = outcome === 'page' || (outcome === 'not_included' && linkedFrom === null && depth === 0);
    if (isRead && 'links' in answer) return answer.links;
    return outcome === 'sitemap' && 'listed' in answer ? answer.listed : [];
  });
}

test('every discovered URL has exactly one outcome, or was counted as not kept', () => {
  fc.assert(
    fc.property(site, delays, fc.integer({ min: 1, max: 12 }), limits, (anySite, anyDelays, maxPages, anyLimits) => {
      const frontier = newFrontier(maxPages, start('a', 'b', 'u1'), anyLimits);
      const { pages, changes, notKept } = crawl(anySite, frontier, anyDelays);
      const urls = [...outcomesOf(changes, 'a', 'b', 'u1').values()].sort((a, b) => a.position - b.position);
      assert.deepEqual(
        urls.map(({ position }) => position),
        urls.map((_, index) => index),
        'no position is left out',
      );
      const known = new Set(urls.map(({ url }) => url));
      assert.equal(known.size, urls.length);
      const missing = new Set(foundIn(anySite, urls)).difference(known);
      assert(missing.size <= notKept, `${[...missing]} are missing, and ${notKept} were counted`);
      const with_ = (...outcomes: UrlOutcome[]) => urls.filter(({ outcome }) => outcomes.includes(outcome));
      const isSame = new Set(pages).symmetricDifference(new Set(with_('page', 'failed').map(({ url }) => url)));
      assert.equal(isSame.size, 0);
      if (with_('waiting').length > 0) assert(pages.length >= maxPages || frontier.isFull());
      if (anyLimits.linkDepthMax > 0) assert.equal(with_('too_deep').length, 0);
      for (const { target } of with_('redirected', 'duplicate')) assert(target !== null);
      for (const outcome of ['excluded', 'off_site', 'too_deep', 'not_listed', 'not_included'] as const) {
        const unvisited = with_(outcome).filter(({ linkedFrom }) => linkedFrom !== null);
        assert(unvisited.length <= anyLimits.unvisitedUrlsMax, outcome);
      }
    }),
    { numRuns: 500 },
  );
});
