import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage } from '../../src/store/reports/deletion.ts';
import { listDiscoveredUrls } from '../../src/store/reports/discovered-urls.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { crawl, crawled, pagesOf, reportOf, startTestCrawl } from '../helpers/crawler.ts';
import { pageWith as page, type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';

/** Why a page is in a report or not: every discovered URL has one outcome. */

const { store } = await startTestCrawl();

/** Verifies the discovered URLs of a report, and returns them as `path outcome status: details <- source`. */
async function urlsOf(id: string, site: TestSite): Promise<string[]> {
  await assertCountsAddUp(store.db, id);
  const report = await reportOf(store, id);
  const order = { key: 'position', direction: 'asc' } as const;
  const { total, rows, outcomes } = await listDiscoveredUrls(store.db, report, {}, order, { number: 1, size: 1_000 });
  assert.equal(total, rows.length);
  assert.deepEqual(
    rows.map(({ position }) => position),
    rows.map((_, index) => index),
  );
  assert.equal(outcomes.page + outcomes.failed, report.num_pages);
  const withPage = rows.filter((row) => row.web_page_id !== null).map(({ outcome }) => outcome);
  assert.deepEqual(withPage.toSorted(), [
    ...Array.from({ length: outcomes.failed }, () => 'failed'),
    ...Array.from({ length: outcomes.page }, () => 'page'),
  ]);
  const text = rows.map(({ url, outcome, http_status, detail, target, linked_from }) => {
    const more = [detail && sentenceOf(detail), target].filter((part) => part !== null).join('; ');
    return `${url} ${outcome} ${http_status ?? '-'}${more && `: ${more}`}${linked_from ? ` <- ${linked_from}` : ''}`;
  });
  return text.map((line) => line.replaceAll(site.origin, ''));
}

async function pageAt(id: string, site: TestSite, path: string): Promise<number> {
  const found = (await pagesOf(store, id)).find(({ url }) => url === site.origin + path);
  assert(found !== undefined, path);
  return found.id;
}

const redirect = (status: number, location: string) => ({ status, headers: { location } });
const canonical = (url: string, ...links: string[]): string => `<link rel=canonical href="${url}">${page(...links)}`;

const varied: Record<string, Routes[string]> = {
  '/': page(
    ...['/a', '/old', '/print', '/file.pdf', '/private/x', 'https://elsewhere.invalid/#top', '/away', '/to-private'],
    ...['/gone', '/last', '/last#again', 'mailto:somebody@example.com'],
  ),
  '/a': page('/', '/only-on-a'),
  '/old': redirect(301, '/older'),
  '/older': redirect(308, '/new'),
  '/new': page('https://elsewhere.invalid/', 'https://elsewhere.invalid/two'),
  '/print': canonical('/a', '/only-on-print'),
  '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
  '/away': redirect(302, 'https://elsewhere.invalid/three'),
  '/to-private': redirect(307, '/private/y'),
};

test('every discovered URL has one outcome, which follows its page', async (t) => {
  const routes = { ...varied };
  const site = await siteWith(t, routes);
  const id = await crawl(store, site, {
    exclusions: ['/private/'],
    max_pages: 4,
    initial_urls: ['https://other.invalid/', `${site.origin}/private/first`],
  });
  const expected = [
    '/ page 200',
    'https://other.invalid/ off_site -',
    '/private/first excluded -',
    '/a page 200 <- /',
    '/old redirected 301: /new <- /',
    '/print duplicate 200: /a <- /',
    '/file.pdf not_html 200: It is not an HTML page: the response has the content type application/pdf <- /',
    '/private/x excluded - <- /',
    'https://elsewhere.invalid/ off_site - <- /',
    '/away redirected 302: https://elsewhere.invalid/three <- /',
    '/to-private redirected 307: /private/y <- /',
    '/gone failed 404: The page returned 404 <- /',
    '/last over_max_pages - <- /',
    '/only-on-a over_max_pages - <- /a',
    '/older redirected 308: /new <- /',
    '/new page 200 <- /',
    'https://elsewhere.invalid/two off_site - <- /new',
    '/only-on-print over_max_pages - <- /print',
    'https://elsewhere.invalid/three off_site - <- /',
    '/private/y excluded - <- /',
  ];
  assert.deepEqual(await urlsOf(id, site), expected);

  await deletePage(store.db, id, await pageAt(id, site, '/a'));
  routes['/new'] = { status: 500 };
  routes['/gone'] = page();
  for (const path of ['/new', '/gone']) await recheckPage(store.db, id, await pageAt(id, site, path));
  await crawled(store, id);
  const now = new Map([
    ['/a', '/a deleted 200 <- /'],
    ['/new', '/new failed 500: The page returned 500 <- /'],
    ['/gone', '/gone page 200 <- /'],
  ]);
  assert.deepEqual(
    await urlsOf(id, site),
    expected.map((line) => now.get(line.split(' ')[0] ?? '') ?? line),
  );
});

test('URLs beyond a shallow crawl are too_deep, unless a redirect leads there', async (t) => {
  const site = await siteWith(t, {
    '/': page('/a', '/moved'),
    '/a': page('/deep', '/target', 'https://elsewhere.invalid/'),
    '/moved': redirect(302, '/target'),
    '/target': page('/deeper'),
  });
  assert.deepEqual(await urlsOf(await crawl(store, site, { deep_crawl: false }), site), [
    '/ page 200',
    '/a page 200 <- /',
    '/moved redirected 302: /target <- /',
    '/deep too_deep - <- /a',
    '/target page 200 <- /a',
    'https://elsewhere.invalid/ off_site - <- /a',
    '/deeper too_deep - <- /target',
  ]);
});

test('sitemaps, listed pages and links have different outcomes', async (t) => {
  const xml = (type: 'urlset' | 'sitemapindex', ...urls: string[]) => ({
    headers: { 'content-type': 'application/xml' },
    body: `<${type}>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</${type}>`,
  });
  const site = await siteWith(t, {
    '/': redirect(302, '/index.xml'),
    '/index.xml': xml('sitemapindex', '/moved.xml', '/gone.xml', '/private.xml', 'https://elsewhere.invalid/map.xml'),
    '/moved.xml': redirect(301, '/pages.xml'),
    '/pages.xml': xml('urlset', '/b', 'https://elsewhere.invalid/', '/private/b', '/moved.xml'),
    '/private.xml': xml('urlset', '/a'),
    '/a': page('/linked', '/b'),
    '/b': page('/c'),
    '/c': page(),
  });
  assert.deepEqual(await urlsOf(await crawl(store, site, { exclusions: ['/private'] }), site), [
    '/ redirected 302: /index.xml',
    '/index.xml sitemap 200',
    '/b page 200 <- /moved.xml',
    'https://elsewhere.invalid/ off_site - <- /moved.xml',
    '/private/b excluded - <- /moved.xml',
    // Listed URLs are visited, even if something else applies to them.
    '/moved.xml redirected 301: /pages.xml <- /moved.xml',
    '/a page 200 <- /private.xml',
    '/pages.xml sitemap 200 <- /index.xml',
    '/gone.xml sitemap 404: The page returned 404 <- /index.xml',
    '/private.xml sitemap 200 <- /index.xml',
    'https://elsewhere.invalid/map.xml off_site - <- /index.xml',
    '/c not_listed - <- /b',
    '/linked not_listed - <- /a',
  ]);
});

test('URLs that robots.txt disallows say so, and sitemaps that it names are not pages', async (t) => {
  const site = await siteWith(t, {
    '/robots.txt': {
      body: 'User-agent: *\nDisallow: /hidden\nSitemap: /map.txt\nSitemap: /site-map\nSitemap: /gone.xml\nSitemap: /moved.xml',
    },
    '/moved.xml': redirect(301, '/broken.xml'),
    '/broken.xml': { headers: { 'content-type': 'text/xml' }, body: '<urlset>\n<url><loc>/in-broken</loc></url>' },
    '/in-broken': page(),
    '/map.txt': (request, response) => {
      response.setHeader('content-type', 'text/plain');
      response.end(`http://${request.headers.host}/listed\nhttps://elsewhere.invalid/`);
    },
    '/': page('/hidden/a', '/moved', '/site-map', '/map.txt'),
    '/moved': redirect(302, '/hidden/b'),
    '/site-map': page(),
    '/listed': page(),
  });
  const refused = "robots -: The site's robots.txt disallows the page";
  const linked = [
    '/ page 200',
    `/hidden/a ${refused} <- /`,
    '/moved redirected 302: /hidden/b <- /',
    '/site-map page 200 <- /',
    '/map.txt not_html 200: It is not an HTML page: the response has the content type text/plain <- /',
  ];
  assert.deepEqual(await urlsOf(await crawl(store, site, { respect_robots_txt: true }), site), [
    ...linked,
    '/listed page 200 <- /map.txt',
    'https://elsewhere.invalid/ off_site - <- /map.txt',
    '/in-broken page 200 <- /moved.xml',
    '/gone.xml sitemap 404: The page returned 404 <- /robots.txt',
    '/moved.xml redirected 301: /broken.xml <- /robots.txt',
    '/broken.xml sitemap 200: its XML is invalid on line 2, after 1 URL <- /robots.txt',
    `/hidden/b ${refused} <- /`,
  ]);
  const shallow = await urlsOf(await crawl(store, site, { respect_robots_txt: true, deep_crawl: false }), site);
  assert.deepEqual(shallow, [...linked, `/hidden/b ${refused} <- /`]);
});

test('exclusions that leave only the starting page are reported', async (t) => {
  const site = await siteWith(t, {
    '/': page('/a', '/b'),
    '/map.txt': (request, response) => {
      response.setHeader('content-type', 'text/plain');
      response.end(`http://${request.headers.host}/a`);
    },
  });
  const id = await crawl(store, site, { exclusions: [site.origin] });
  assert.deepEqual(await urlsOf(id, site), ['/ page 200', '/a excluded - <- /', '/b excluded - <- /']);
  assert.match((await reportOf(store, id)).crawl_error ?? '', /^The starting page links only to excluded pages/);
  const listed = await crawl(store, site, { exclusions: ['/a'] }, '/map.txt');
  const { crawl_error: error } = await reportOf(store, listed);
  assert.equal(error, 'The sitemap lists only excluded pages.');
});
