import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { crawl, crawled, newReport, pagesOf, reportOf, startTestCrawl } from '../helpers/crawler.ts';
import { type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Reports that start from a sitemap: their pages are exactly the listed ones. */

const { store, crawler } = await startTestCrawl();

const xml = (body: () => string, type = 'application/xml'): Routes[string] => {
  return (_request, response) => {
    response.setHeader('content-type', type);
    response.end(body());
  };
};
const urlset = (...urls: string[]): string =>
  `<?xml version="1.0"?><urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
const index = (...urls: string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

async function report(site: TestSite, path: string, changes: Parameters<typeof crawl>[2] = {}) {
  const id = await crawl(store, site, changes, path);
  const row = await reportOf(store, id);
  const pages = await pagesOf(store, id);
  const path_ = (url: string | null): string | undefined => url?.replace(site.origin, '');
  return {
    status: row.status,
    error: row.crawl_error?.replaceAll(site.origin, ''),
    pages: pages.map((page) => `${path_(page.url)} <- ${path_(page.linked_from)}`),
  };
}

const pages: Routes = {
  '/a': '<!DOCTYPE html><title>A</title><link rel=canonical href="/canonical"><a href="/linked">a link</a>',
  '/b': '<!DOCTYPE html><title>B</title>',
  '/c': '<!DOCTYPE html><title>C</title>',
  '/old': { status: 301, headers: { location: '/new' } },
  '/new': '<!DOCTYPE html><title>New</title>',
  '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
};

test('the pages are the listed ones of the site, in order, regardless of their links', async (t) => {
  const site = await siteWith(t, (origin) => ({
    ...pages,
    '/sitemap.xml': xml(() => {
      const listed = ['/b', '/a', '/file.pdf', '/old', '/gone', '/private/x', '/c'].map((path) => origin() + path);
      return urlset('http://elsewhere.invalid/', ...listed);
    }),
  }));
  const expected = ['/b', '/a', '/new', '/gone', '/c'].map((path) => `${path} <- /sitemap.xml`);
  for (const deepCrawl of [true, false]) {
    const found = await report(site, '/sitemap.xml', { deep_crawl: deepCrawl, exclusions: ['/private/'] });
    assert.deepEqual(found, { status: 'checking', error: undefined, pages: expected });
  }
  const capped = await report(site, '/sitemap.xml', { max_pages: 2 });
  assert.deepEqual(capped.pages, expected.slice(0, 2));
  const paths = site.requests.map(({ url }) => url);
  for (const never of ['/linked', '/canonical', '/private/x']) assert(!paths.includes(never), never);
});

test('an index is read in order, through redirects, gzip and wrong types, with problems reported', async (t) => {
  const site = await siteWith(t, (origin) => ({
    ...pages,
    '/robots-sitemap': { status: 302, headers: { location: '/index.xml' } },
    '/index.xml': xml(
      () =>
        index(
          ...['/1.xml.gz', '/gone.xml', '/moved.xml', '/nested.xml', '/index.xml', '/b'].map((path) => origin() + path),
          'http://elsewhere.invalid/4.xml',
        ),
      'text/html; charset=utf-8',
    ),
    '/1.xml.gz': (_request, response) => {
      response.setHeader('content-type', 'application/x-gzip');
      response.end(gzipSync(urlset(`${origin()}/c`)));
    },
    '/moved.xml': { status: 301, headers: { location: '/2.txt' } },
    '/2.txt': xml(() => `${origin()}/b\n${origin()}/c\n`, 'text/plain'),
    '/nested.xml': xml(() => index(`${origin()}/3.xml`)),
    '/3.xml': xml(() => urlset(`${origin()}/a`)),
  }));
  const { pages: found, error, status } = await report(site, '/robots-sitemap');
  assert.deepEqual(found, ['/c <- /1.xml.gz', '/b <- /moved.xml', '/a <- /3.xml']);
  assert.equal(status, 'checking');
  assert.equal(
    error,
    'Sitemaps that it lists could not be read completely, so pages may be missing: ' +
      '/gone.xml: The page returned 404; /b: it is an HTML page, not a sitemap; ' +
      'http://elsewhere.invalid/4.xml: it is on another site.',
  );
});

test('a broken sitemap gives the pages before the error, and one without a page of its site fails', async (t) => {
  const site = await siteWith(t, () => ({
    ...pages,
    '/broken.xml': { headers: { 'content-type': 'text/xml' }, body: `${urlset('/b').slice(0, -9)}<url>` },
    '/empty.xml': { headers: { 'content-type': 'text/xml' }, body: urlset('http://elsewhere.invalid/') },
    '/data.xml': { headers: { 'content-type': 'text/xml' }, body: '<data/>' },
    '/broken.xml.gz': {
      headers: { 'content-type': 'application/gzip' },
      body: gzipSync(urlset('http://elsewhere.invalid/')).subarray(0, 80),
    },
  }));
  assert.deepEqual(await report(site, '/broken.xml'), {
    status: 'checking',
    error:
      'The sitemap could not be read completely, so pages may be missing: its XML is invalid on line 1, after 1 URL.',
    pages: ['/b <- /broken.xml'],
  });
  assert.deepEqual(await report(site, '/empty.xml'), {
    status: 'failed',
    error: 'The sitemap lists no pages of its own site.',
    pages: [],
  });
  assert.match((await report(site, '/data.xml')).error ?? '', /neither an HTML page nor a sitemap/);
  assert.match((await report(site, '/broken.xml.gz')).error ?? '', /gzip data is invalid/);
});

test('an interrupted crawl from a sitemap continues with the listed pages', async (t) => {
  const paths = Array.from({ length: 12 }, (_, number) => `/p${number}`);
  const gate = Promise.withResolvers<void>();
  const site = await siteWith(t, (origin) => ({
    '/sitemap.xml': xml(() => urlset(...paths.map((path) => origin() + path))),
    '*': async (request, response) => {
      if (Number(request.url?.slice(2)) >= 6) await gate.promise;
      response.setHeader('content-type', 'text/html');
      response.end('<!DOCTYPE html><title>x</title><a href="/linked">a link</a>');
    },
  }));
  const id = await newReport(store, `${site.origin}/sitemap.xml`, { deep_crawl: true });
  await until(async () => (await reportOf(store, id)).num_pages === 6);
  await crawler.stop();
  gate.resolve();
  await crawler.start();
  await crawled(store, id);
  assert.deepEqual(
    (await pagesOf(store, id)).map(({ url }) => url),
    paths.map((path) => site.origin + path),
  );
  assert.equal(site.requests.filter(({ url }) => url === '/sitemap.xml').length, 1);
});
