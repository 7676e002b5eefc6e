import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { listDiscoveredUrls } from '../../src/store/reports/discovered-urls.ts';
import { assertCountsAddUp } from '../helpers/counts.ts';
import { crawl, crawled, pagesOf, reportOf, startTestCrawl } from '../helpers/crawler.ts';
import { pageWith as page, type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';

/** Reports of sections of a site: only included pages are pages of the report. */

const { store } = await startTestCrawl();

/** The outcomes of all URLs, as `path outcome status <- source`. */
async function outcomesOf(id: string, site: TestSite): Promise<string[]> {
  await assertCountsAddUp(store.db, id);
  const order = { key: 'position', direction: 'asc' } as const;
  const list = { number: 1, size: 1_000 };
  const { rows } = await listDiscoveredUrls(store.db, await reportOf(store, id), {}, order, list);
  return rows.map(({ url, outcome, http_status: status, target, linked_from: source }) => {
    const to = target === null ? '' : ` -> ${target}`;
    return `${url} ${outcome} ${status ?? '-'}${to}${source === null ? '' : ` <- ${source}`}`.replaceAll(
      site.origin,
      '',
    );
  });
}

async function pathsOf(id: string, site: TestSite): Promise<string[]> {
  return (await pagesOf(store, id)).map(({ url }) => url.replace(site.origin, ''));
}

const redirect = (location: string) => ({ status: 302, headers: { location } });
const canonical = (url: string, ...links: string[]): string => `<link rel=canonical href="${url}">${page(...links)}`;
const urlset = (...urls: string[]) => ({
  headers: { 'content-type': 'application/xml' },
  body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
});

const sections: Routes = {
  '/': page('/shop', '/help/', '/shop/moved', '/shop/leaves', '/shopping'),
  '/help/': page('/shop/only-from-help'),
  '/shop': redirect('/shop/'),
  '/shop/': page('/shop/a', '/shop/canonical', '/shop/old/x', '/', '/help/b'),
  '/shop/a': canonical('/shop/a', 'https://elsewhere.invalid/shop/'),
  '/shop/canonical': canonical('/help/'),
  '/shop/moved': redirect('/shop/new'),
  '/shop/new': page(),
  '/shop/leaves': redirect('/help/c'),
};

test('a report of a section has its pages, and starts from a page that is not one of them', async (t) => {
  const site = await siteWith(t, sections);
  const id = await crawl(store, site, { inclusions: ['/shop/'], exclusions: ['/old/'] });
  assert.deepEqual(await outcomesOf(id, site), [
    '/ not_included 200',
    '/shop redirected 302 -> /shop/ <- /',
    '/help/ not_included - <- /',
    '/shop/moved redirected 302 -> /shop/new <- /',
    '/shop/leaves redirected 302 -> /help/c <- /',
    '/shopping not_included - <- /',
    '/shop/ page 200 <- /',
    '/shop/a page 200 <- /shop/',
    '/shop/canonical page 200 <- /shop/',
    '/shop/old/x excluded - <- /shop/',
    '/help/b not_included - <- /shop/',
    '/shop/new page 200 <- /',
    '/help/c not_included - <- /',
    'https://elsewhere.invalid/shop/ off_site - <- /shop/a',
  ]);
  const { status, crawl_error: error, num_pages: numPages } = await reportOf(store, id);
  assert.deepEqual([status, error, numPages], ['checking', null, 4]);
  const requested = site.requests.map(({ url }) => url);
  assert(!requested.some((url) => url?.startsWith('/help')), 'pages that are not included are not requested');
  assert.equal(new Set(requested).size, requested.length, 'every URL is requested once');
});

test('initial URLs lead to included pages, and max_pages counts only these', async (t) => {
  const site = await siteWith(t, sections);
  const initial = { initial_urls: ['/help/', '/help/gone', '/shop/a'].map((path) => site.origin + path) };
  const id = await crawl(store, site, { inclusions: [`${site.origin}/shop/`], max_pages: 4, ...initial });
  assert.deepEqual(await pathsOf(id, site), ['/help/gone', '/shop/a', '/shop/', '/shop/new']);
  const outcomes = await outcomesOf(id, site);
  assert.deepEqual(outcomes.slice(0, 4), [
    '/ not_included 200',
    '/help/ not_included 200',
    // It was named, and its links may be missing.
    '/help/gone failed 404',
    '/shop/a page 200',
  ]);
  assert(outcomes.includes('/shop/only-from-help over_max_pages - <- /help/'));
  const shallow = await crawl(store, site, { inclusions: ['/shop/'], deep_crawl: false });
  assert.deepEqual(await pathsOf(shallow, site), ['/shop/', '/shop/new']);
});

test('redirects and canonical links of starting and initial URLs lead to included pages', async (t) => {
  const site = await siteWith(t, {
    ...sections,
    '/en': redirect('/welcome'),
    '/welcome': page('/shop/a'),
    '/go': redirect('/shop/'),
    '/print': canonical('/shop/', '/shop/new'),
  });
  const from = async (path: string, ...initial: string[]) => {
    const changes = { inclusions: ['/shop/'], initial_urls: initial.map((url) => site.origin + url) };
    return outcomesOf(await crawl(store, site, changes, path), site);
  };
  assert.deepEqual((await from('/en')).slice(0, 3), [
    '/en redirected 302 -> /welcome',
    '/welcome not_included 200',
    '/shop/a page 200 <- /welcome',
  ]);
  assert.deepEqual((await from('/go')).slice(0, 2), ['/go redirected 302 -> /shop/', '/shop/ page 200']);
  assert.deepEqual((await from('/help/', '/print', '/en')).slice(0, 5), [
    '/help/ not_included 200',
    '/print duplicate 200 -> /shop/',
    '/en redirected 302 -> /welcome',
    '/shop/only-from-help failed 404 <- /help/',
    '/shop/ page 200',
  ]);
});

test('sitemaps are read up to the included pages, however many others they list', async (t) => {
  const others = Array.from({ length: 10_050 }, (_, number) => `/news/${number}`);
  const site = await siteWith(t, {
    ...sections,
    '/map.xml': urlset(...others, '/shop/a', '/shop/new', '/shop/old/a'),
    '/news.xml': urlset('/news/1'),
  });
  const selection = { inclusions: ['/shop/'], exclusions: ['/old/'] };
  const id = await crawl(store, site, selection, '/map.xml');
  assert.deepEqual(await pathsOf(id, site), ['/shop/a', '/shop/new']);
  assert.equal((await reportOf(store, id)).crawl_error, null);
  const none = await reportOf(store, await crawl(store, site, selection, '/news.xml'));
  assert.deepEqual([none.status, none.crawl_error], ['failed', 'The sitemap lists no pages that are included.']);
});

test('a report without an included page fails with the reason', async (t) => {
  const site = await siteWith(t, { ...sections, '/alone': page('/help/') });
  const reasonOf = async (changes: Parameters<typeof crawl>[2]) => {
    const id = await crawl(store, site, changes, '/alone');
    const { status, crawl_error: error, num_pages: numPages } = await reportOf(store, id);
    assert.deepEqual([status, numPages], ['failed', 0]);
    return error ?? '';
  };
  const inclusions = ['/nothing/'];
  assert.match(await reasonOf({ inclusions }), /^The starting page and the pages that it links to are not included/);
  const initial = { initial_urls: [`${site.origin}/help/`] };
  assert.match(await reasonOf({ inclusions, ...initial }), /^None of the pages that the spider found is included\./);
  // An excluded starting page is a page only if it is included.
  assert.match(await reasonOf({ inclusions, exclusions: ['/alone'] }), /^The starting page and the pages/);
});

test('a page that now redirects out of the section fails its re-check', async (t) => {
  const routes: Record<string, Routes[string]> = { ...sections };
  const site = await siteWith(t, routes);
  const id = await crawl(store, site, { inclusions: ['/shop/'] });
  const before = await outcomesOf(id, site);
  routes['/shop/a'] = redirect('/help/');
  const changed = (await pagesOf(store, id)).find(({ url }) => url === `${site.origin}/shop/a`);
  assert(changed !== undefined);
  await recheckPage(store.db, id, changed.id);
  await crawled(store, id);
  const expected = before.map((line) => line.replace('/shop/a page 200', '/shop/a failed 302'));
  assert.deepEqual(await outcomesOf(id, site), expected);
  const page = (await pagesOf(store, id)).find(({ id: pageId }) => pageId === changed.id);
  assert.match(page?.fetch_error ?? '', /redirects to .*\/help\//);
});
