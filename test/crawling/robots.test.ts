import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { crawl, crawled, pagesOf, reportOf, startTestCrawl } from '../helpers/crawler.ts';
import { recordRequestStarts } from '../helpers/request-starts.ts';
import { pageWith as page, type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';

/** Reports that respect the site's robots.txt, and those that do not. */

const { store } = await startTestCrawl();

async function report(site: TestSite, changes: Parameters<typeof crawl>[2] = {}) {
  const id = await crawl(store, site, { respect_robots_txt: true, ...changes });
  const { status, crawl_error: error } = await reportOf(store, id);
  const discovered = await store.db
    .selectFrom('discovered_urls')
    .select('url')
    .where('report_id', '=', id)
    .where('outcome', '=', 'robots')
    .execute();
  const paths = (rows: readonly { url: string }[]): string[] => rows.map(({ url }) => url.replace(site.origin, ''));
  return { status, error, pages: paths(await pagesOf(store, id)), disallowed: paths(discovered).toSorted() };
}

const text = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });

const pages: Routes = {
  '/': page('/a', '/private/b', '/moved'),
  '/a': `${page('/private/c')}<link rel=canonical href="/private/canonical">`,
  '/moved': { status: 302, headers: { location: '/private/target' } },
  '/private/b': page(),
  '/listed': page('/from-listed'),
  '/from-listed': page(),
};

test('disallowed URLs are not requested, and the pages of its sitemaps are found', async (t) => {
  const site: TestSite = await siteWith(t, {
    ...pages,
    '/robots.txt': (_request, response) => {
      response.end(
        `User-agent: *\nDisallow: /private/\nSitemap: ${site.origin}/map.xml\nSitemap: ${site.origin}/gone.xml`,
      );
    },
    '/map.xml': (_request, response) => {
      response.setHeader('content-type', 'application/xml');
      response.end(
        `<urlset><url><loc>${site.origin}/listed</loc></url><url><loc>${site.origin}/private/l</loc></url></urlset>`,
      );
    },
  });
  assert.deepEqual(await report(site), {
    status: 'checking',
    error:
      "Sitemaps that the site's robots.txt names could not be read completely, so pages may be missing: " +
      `${site.origin}/gone.xml: The page returned 404.`,
    pages: ['/', '/a', '/listed', '/from-listed'],
    disallowed: ['/private/b', '/private/c', '/private/l', '/private/target'],
  });
  const requests = site.requests.map(({ url }) => url);
  assert.deepEqual(
    requests.filter((url) => url.startsWith('/private')),
    [],
  );
  assert.equal(requests.filter((url) => url === '/robots.txt').length, 1);

  const careless = await report(site, { respect_robots_txt: false, prefer_canonical_urls: false });
  assert.deepEqual(careless.pages, ['/', '/a', '/private/b', '/private/target', '/private/c']);
});

test('a page that has become disallowed is not fetched again', async (t) => {
  let rules = '';
  const site = await siteWith(t, { ...pages, '/robots.txt': (_request, response) => void response.end(rules) });
  const id = await crawl(store, site, { respect_robots_txt: true }, '/listed');
  rules = 'User-agent: *\nDisallow: /listed';
  const [listed] = await pagesOf(store, id);
  await recheckPage(store.db, id, listed?.id ?? 0);
  await crawled(store, id);
  const checks = await store.db
    .selectFrom('checks')
    .select('error')
    .where('web_page_id', '=', listed?.id ?? 0)
    .execute();
  assert.deepEqual(checks, [{ error: { code: 'robots_disallows', params: {} } }]);
  assert.equal(site.requests.filter(({ url }) => url === '/listed').length, 1);
});

test('Crawl-delay slows the crawl down', async (t) => {
  const site = await siteWith(t, {
    ...pages,
    '/robots.txt': text('User-agent: *\nCrawl-delay: 0.4\nDisallow: /private'),
  });
  const begun = recordRequestStarts(t, site.origin);
  assert.deepEqual((await report(site)).pages, ['/', '/a']);
  for (const [index, { at }] of site.requests.entries()) {
    // A late timer may be made up for by half a gap.
    if (index > 1) assert(at - (begun[index - 1] ?? Number.NaN) >= 190, `request ${index} came too early`);
  }
});

test('a disallowed start, or an unreadable robots.txt, fails the report with the reason', async (t) => {
  const closed = await siteWith(t, { ...pages, '/robots.txt': text('User-agent: sitewarden\nDisallow: /') });
  const refused = await report(closed);
  assert.deepEqual([refused.status, refused.pages], ['failed', []]);
  assert.match(refused.error ?? '', /^The site's robots.txt disallows the page\. /);
  const broken = await siteWith(t, { ...pages, '/robots.txt': { status: 503 } });
  assert.match(
    (await report(broken)).error ?? '',
    /robots.txt could not be read \(it returned 503\), so every page counts as/,
  );
  assert.deepEqual(
    broken.requests.map(({ url }) => url),
    ['/robots.txt'],
  );
});

test('a robots.txt that is missing, redirects too many times or is not text disallows nothing', async (t) => {
  const missing = await siteWith(t, pages);
  assert.equal((await report(missing)).pages.length, 5);
  const round = await siteWith(t, { ...pages, '/robots.txt': { status: 301, headers: { location: '/robots.txt' } } });
  assert.equal((await report(round)).pages.length, 5);
  assert.equal(round.requests.filter(({ url }) => url === '/robots.txt').length, 6);
  const moved = await siteWith(t, {
    ...pages,
    '/robots.txt': { status: 301, headers: { location: '/elsewhere.txt' } },
    '/elsewhere.txt': text('User-agent: *\nDisallow: /a'),
  });
  assert(!(await report(moved)).pages.includes('/a'));
  const proxied = await siteWith(t, {
    ...pages,
    '/robots.txt': { status: 305, headers: { location: '/elsewhere.txt' } },
    '/elsewhere.txt': text('User-agent: *\nDisallow: /a'),
  });
  assert((await report(proxied)).pages.includes('/a'));
});
