import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { claimChecks } from '../../src/queue/claims.ts';
import { createMemoryBudget } from '../../src/spider/memory-budget.ts';
import { saveCheckResults } from '../../src/store/pages/check-results.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { crawled, newReport, openTestStore, pagesOf, startTestCrawler, type TestStore } from '../helpers/crawler.ts';
import { type Routes, siteWith } from '../helpers/test-site.ts';

/** Crawls whose documents, together or one by one, are larger than the memory budget. */

const PAGES = Array.from({ length: 9 }, (_, index) => `/page/${index}`);
const PADDING = `<!-- ${'padding '.repeat(10_000)} -->`;
const LINKS = PAGES.map((path) => `<a href="${path}">Page</a>`).join('');
const sitemap = (kind: string, item: string, urls: readonly string[]): string =>
  `<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<${item}><loc>${url}</loc></${item}>`).join('')}</${kind}>${PADDING}`;

/**
 * Two pages are canonical for others, and every second page is sent compressed, so that it is too large only when decompressed.
 */
function routes(origin: () => string): Routes {
  const pages = PAGES.map((path, index) => {
    const canonical = index < 2 ? `<link rel="canonical" href="/page/${index + 5}">` : '';
    const body = `<!DOCTYPE html><title>${index}</title>${canonical}${LINKS}${PADDING}`;
    return [path, index % 2 === 0 ? body : { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) }] as const;
  });
  const xml = (content: () => string) => (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/xml' }).end(content());
  return {
    '/': `<!DOCTYPE html><title>Start</title>${LINKS}${PADDING}`,
    '/sitemap.xml': xml(() => sitemap('sitemapindex', 'sitemap', [`${origin()}/a.xml`, `${origin()}/b.xml`])),
    '/a.xml': xml(() =>
      sitemap(
        'urlset',
        'url',
        PAGES.slice(0, 5).map((path) => origin() + path),
      ),
    ),
    '/b.xml': xml(() =>
      sitemap(
        'urlset',
        'url',
        PAGES.slice(5).map((path) => origin() + path),
      ),
    ),
    ...Object.fromEntries(pages),
  };
}

let store: TestStore;
before(async () => {
  store = await openTestStore();
});
after(() => store.close());

for (const [name, options] of Object.entries({
  'enough for all': {},
  'enough for three of them': { bytesMax: 250_000, guaranteesMax: 1 },
  'too little for a single one': { bytesMax: 50_000, guaranteesMax: 2 },
})) {
  test(`reports with large pages find the same with a ${name} budget`, async (t) => {
    const site = await siteWith(t, routes);
    const crawler = await startTestCrawler(store, undefined, { budget: createMemoryBudget(options) });
    t.after(() => crawler.stop());
    const starts = ['/', '/', '/', '/sitemap.xml', '/sitemap.xml'];
    const reports = await Promise.all(starts.map((path) => newReport(store, site.origin + path)));
    for (const [index, reportId] of reports.entries()) {
      await crawled(store, reportId);
      const expected = starts[index] === '/' ? ['/', ...PAGES.slice(2)] : PAGES;
      const pages = (await pagesOf(store, reportId)).map(({ url, fetch_error: error }) => [url, error]);
      assert.deepEqual(pages.sort(), expected.map((path) => [site.origin + path, null]).sort());
    }
    // A request without space in the budget is cancelled and repeated, not delayed.
    const once = starts.reduce((sum, path) => sum + PAGES.length + (path === '/' ? 1 : 3), 0);
    const requested = site.requests.length;
    if (name === 'enough for all') assert.equal(requested, once);
    if (name === 'too little for a single one') assert.ok(requested > once, `${requested} requests, not ${once}`);
    // A canonical page may be requested for both.
    assert.ok(requested <= 3 * once, `${requested} requests for ${once}`);

    const [check] = await claimChecks(store.db, 'html', 1_000_000, 1);
    assert.ok(check);
    const { reportId, webPageId, claimId } = check;
    await saveCheckResults(store.db, reportId, 'html', [{ webPageId, claimId, outcome: { issues: [] } }]);
    await recheckPage(store.db, reportId, webPageId);
    await crawled(store, reportId);
    assert.ok(site.requests.length > requested);
    await store.db.deleteFrom('reports').execute();
  });
}
