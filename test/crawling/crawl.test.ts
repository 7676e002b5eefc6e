import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { deletePage, deleteReport } from '../../src/store/reports/deletion.ts';
import { countOutcomes, knownUrls } from '../../src/store/reports/discovered-urls.ts';
import { crawl, crawled, newReport, pagesOf, reportOf, startTestCrawl } from '../helpers/crawler.ts';
import { randomFrom } from '../helpers/random.ts';
import { recordRequestStarts } from '../helpers/request-starts.ts';
import { type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

const { store, crawler } = await startTestCrawl();

const page = (title: string, ...links: string[]): string =>
  `<!DOCTYPE html><title>${title}</title>${links.map((href) => `<a href="${href}">${href}</a>`).join('\n')}`;

/** The pages of a report, as `path <- path of linked_from: status or error`. */
async function found(reportId: string, site: TestSite): Promise<string[]> {
  const path = (url: string | null) => url?.replace(site.origin, '') ?? null;
  const pages = await pagesOf(store, reportId);
  return pages.map((row) => `${path(row.url)} <- ${path(row.linked_from)}: ${row.fetch_error ?? row.http_status}`);
}

const varied: Routes = {
  '/a': `<!DOCTYPE html><title>A</title><base href="/deep/"><map name=m><area href="one" alt=""></map><a href="../a">self</a>`,
  '/b?x=1&y=2': page('B', '/b?y=2&x=1'),
  '/b?y=2&x=1': page('B again'),
  '/c': page('C', '/private/secret', '/c/', 'mailto:me@example.com', '/c#there'),
  '/c/': page('C with a slash'),
  '/deep/one': page('One', '/loop1', '/away'),
  '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7' },
  '/moved': { status: 301, headers: { location: '/moved-on' } },
  '/moved-on': { status: 302, headers: { location: 'target?q=ü' } },
  '/target?q=%C3%BC': page('Target'),
  '/loop1': { status: 302, headers: { location: '/loop2' } },
  '/loop2': { status: 302, headers: { location: '/loop1' } },
  '/away': { status: 302, headers: { location: 'http://elsewhere.invalid/' } },
  '/private/secret': page('Secret'),
};

test('a deep crawl finds every page of the site, level by level, and lists failed ones', async (t) => {
  const site = await siteWith(t, {
    ...varied,
    '/': ({ headers }, response) => {
      const links = ['a', '/b?x=1&amp;y=2#top', `//${headers.host}/c`, 'gone', 'file.pdf', 'http://elsewhere.invalid/'];
      response.setHeader('content-type', 'text/html').end(page('Home', ...links, '/moved'));
    },
  });
  const id = await crawl(store, site, { exclusions: ['/private/'] });
  assert.deepEqual(await found(id, site), [
    '/ <- null: 200',
    '/a <- /: 200',
    '/b?x=1&y=2 <- /: 200',
    '/c <- /: 200',
    '/gone <- /: The page returned 404',
    '/target?q=%C3%BC <- /: 200',
    '/deep/one <- /a: 200',
    '/b?y=2&x=1 <- /b?x=1&y=2: 200',
    '/c/ <- /c: 200',
    '/loop2 <- /deep/one: The page redirects in a loop',
  ]);
  const report = await reportOf(store, id);
  assert.deepEqual([report.num_pages, report.status, report.crawl_error], [10, 'checking', null]);
  const urls = site.requests.map((request) => request.url);
  assert.equal(new Set(urls).size, urls.length, 'every URL is requested once');
  assert(!urls.includes('/private/secret'));
  const counts = await store.db.selectFrom('report_checks').selectAll().where('report_id', '=', id).executeTakeFirst();
  assert.deepEqual([counts?.kind, counts?.pending, counts?.checked, counts?.failed], ['html', 8, 0, 2]);
});

test('the same site gives the same pages in the same order, regardless of its response times', async (t) => {
  const links = Array.from({ length: 12 }, (_, index) => `/p${index}`);
  const random = randomFrom();
  const answer: Routes = {
    '*': (request, response) => {
      setTimeout(() => {
        response.setHeader('content-type', 'text/html');
        response.end(page(request.url ?? '', ...links, `${request.url?.replace(/\?.*/, '')}?more`));
      }, random() * 30);
    },
  };
  const site = await siteWith(t, answer);
  const runs = await Promise.all([1, 2, 3].map(() => crawl(store, site, { max_pages: 20 }, '/p0')));
  const [first, second, third] = await Promise.all(runs.map((id) => found(id, site)));
  assert.equal(first?.length, 20);
  assert.deepEqual(second, first);
  assert.deepEqual(third, first);
});

test('max_pages is exact, and nothing beyond it is requested', async (t) => {
  const links = Array.from({ length: 50 }, (_, index) => `/p${index}`);
  const site = await siteWith(t, { '*': page('Any', ...links) });
  const id = await crawl(store, site, { max_pages: 7 });
  assert.equal((await found(id, site)).length, 7);
  assert.equal(site.requests.length, 7);
  assert.equal((await countOutcomes(store.db, await reportOf(store, id))).over_max_pages, 44);
});

test('a shallow crawl ends with the pages linked from the starting and initial URLs', async (t) => {
  const site = await siteWith(t, {
    '/': page('Home', '/a'),
    '/a': page('A', '/too-deep'),
    '/initial': page('Initial', '/b'),
    '/b': page('B'),
  });
  const id = await crawl(store, site, {
    deep_crawl: false,
    initial_urls: [`${site.origin}/initial`, 'http://elsewhere.invalid/'],
  });
  assert.deepEqual(await found(id, site), [
    '/ <- null: 200',
    '/initial <- null: 200',
    '/a <- /: 200',
    '/b <- /initial: 200',
  ]);
});

test('canonical URLs replace their pages if preferred', async (t) => {
  const canonical = (url: string) => `<!DOCTYPE html><title>x</title><link rel="Canonical nofollow" href="${url}">`;
  const routes: Routes = {
    '/': page('Home', '/print', '/other-site', '/same', '/by-header'),
    '/print': canonical('/article'),
    '/article': page('Article', '/from-article'),
    '/from-article': page('Last'),
    '/other-site': canonical('https://elsewhere.invalid/x'),
    '/same': canonical('/'),
    '/by-header': {
      headers: { 'content-type': 'text/html', link: '</article>; rel="canonical"' },
      body: page('Header'),
    },
  };
  const site = await siteWith(t, routes);
  const preferred = await found(await crawl(store, site), site);
  assert.deepEqual(preferred, [
    '/ <- null: 200',
    '/article <- /: 200',
    '/other-site <- /: 200',
    '/from-article <- /article: 200',
  ]);
  const asFound = await found(await crawl(store, site, { prefer_canonical_urls: false }), site);
  assert.deepEqual(asFound, [
    '/ <- null: 200',
    ...['/print', '/other-site', '/same', '/by-header'].map((path) => `${path} <- /: 200`),
  ]);
});

test('the site is where the starting URL redirects to', async (t) => {
  const target = await siteWith(t, { '/en/': page('Home', '/en/a'), '/en/a': page('A') });
  const start = await siteWith(t, { '/': { status: 302, headers: { location: `${target.origin}/en/` } } });
  const id = await crawl(store, start);
  assert.deepEqual(await found(id, target), ['/en/ <- null: 200', '/en/a <- /en/: 200']);
});

test('a report with a page that could be checked never fails, regardless of its other pages', async (t) => {
  const routes: Record<string, Routes[string]> = { '/': page('Home', '/gone') };
  const site = await siteWith(t, routes);
  const id = await crawl(store, site);
  const [home] = await pagesOf(store, id);
  routes['/'] = { status: 500 };
  await recheckPage(store.db, id, home?.id ?? 0);
  await crawled(store, id);
  assert.equal((await reportOf(store, id)).status, 'finished');
  await deletePage(store.db, id, home?.id ?? 0);
  const left = await reportOf(store, id);
  assert.deepEqual([left.status, left.num_pages, left.crawl_error], ['finished', 1, null]);
});

test('a starting URL without a page fails the report with the reason', async (t) => {
  const site = await siteWith(t, {
    '/pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
    '/sitemap.txt': (request, response) => void response.end(`http://${request.headers.host}/missing`),
    '/alone': page('Alone', '#top', 'https://elsewhere.invalid/'),
  });
  const missing = await reportOf(store, await crawl(store, site, {}, '/missing'));
  assert.equal(missing.status, 'failed');
  assert.equal(missing.crawl_error, 'The starting URL could not be checked. The page returned 404.');
  assert(missing.finished_at !== null);
  const pdf = await reportOf(store, await crawl(store, site, {}, '/pdf'));
  assert.deepEqual([pdf.status, pdf.num_pages], ['failed', 0]);
  assert.match(pdf.crawl_error ?? '', /application\/pdf/);
  const listing = await reportOf(store, await crawl(store, site, {}, '/sitemap.txt'));
  assert.deepEqual([listing.status, listing.num_pages], ['failed', 1]);
  assert.equal(listing.crawl_error, 'None of the pages of the site could be fetched.');
  const alone = await reportOf(store, await crawl(store, site, {}, '/alone'));
  assert.deepEqual([alone.status, alone.num_pages], ['checking', 1]);
  assert.match(alone.crawl_error ?? '', /no links/);
  await site.stop();
  const refused = await reportOf(store, await crawl(store, site));
  assert.equal(refused.status, 'failed');
  assert.match(refused.crawl_error ?? '', /refused/);
});

test('a crawl that is interrupted again and again ends with the same pages', async (t) => {
  /** Pages from 40 on wait for this, so that the crawl cannot end before. */
  let held: Promise<void> | undefined;
  const routes: Routes = {
    '*': async (request, response) => {
      const here = Number(request.url?.slice(2) ?? 0) || 0;
      if (here >= 40) await held;
      setTimeout(() => {
        response.setHeader('content-type', 'text/html');
        response.end(page(`Page ${here}`, `/p${here * 2 + 1}`, `/p${here * 2 + 2}`, `/p${Math.floor(here / 3)}`));
      }, 10);
    },
  };
  const site = await siteWith(t, routes);
  const wholeId = await crawl(store, site, { max_pages: 60 }, '/p0');
  const whole = await found(wholeId, site);
  await crawler.stop();
  const released = Promise.withResolvers<void>();
  held = released.promise;
  const id = await newReport(store, `${site.origin}/p0`, { max_pages: 60 });
  for (let run = 1; run <= 3; run += 1) {
    await crawler.start();
    await until(async () => (await reportOf(store, id)).num_pages >= run * 8);
    await crawler.stop();
  }
  assert((await reportOf(store, id)).num_pages < 60, 'it was really interrupted');
  held = undefined;
  released.resolve();
  await crawler.start();
  await crawled(store, id);
  assert.deepEqual(await found(id, site), whole);
  assert.deepEqual(await knownUrls(store.db, id), await knownUrls(store.db, wholeId));
});

test('the rate limit holds at the server for every second of a crawl', async (t) => {
  const links = Array.from({ length: 40 }, (_, index) => `/p${index}`);
  const site = await siteWith(t, { '*': page('Any', ...links) });
  const begun = recordRequestStarts(t, site.origin);
  await crawl(store, site, { max_pages: 40, rate_limit: 20 });
  assert.equal(site.requests.length, 40);
  assertRate(site, begun, 20);
});

/** No window of one second has more requests, each counted from whichever of its times makes the window longer. */
function assertRate(site: TestSite, begun: readonly number[], requestsPerSecond: number): void {
  const tookMs = site.requests.slice(requestsPerSecond).map(({ at }, index) => at - (begun[index] ?? Number.NaN));
  assert(Math.min(...tookMs) >= 1_000, `${requestsPerSecond + 1} requests in ${Math.min(...tookMs)} ms`);
}

test('a header with any content does no harm', async (t) => {
  const site = await siteWith(t, {
    '/': { headers: { 'x-odd': 'C:\\u0000 \\ " \u00ff', 'content-type': 'text/html' }, body: page('Odd', '/a') },
    '/a': page('A'),
  });
  assert.equal((await found(await crawl(store, site), site)).length, 2);
});

test('a worker that loses its connection requests nothing twice and nothing faster than allowed', async (t) => {
  const links = Array.from({ length: 30 }, (_, index) => `/p${index}`);
  const site = await siteWith(t, { '*': page('Any', ...links) });
  const begun = recordRequestStarts(t, site.origin);
  const id = await newReport(store, `${site.origin}/`, { max_pages: 30, rate_limit: 10 });
  await until(async () => (await reportOf(store, id)).num_pages >= 5);
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sitewarden worker' AND datname = current_database()`.execute(store.db);
  await crawled(store, id);
  assert.equal((await reportOf(store, id)).num_pages, 30);
  assert.equal((await found(id, site)).length, 30);
  // Requests in progress when the connection was lost are repeated, and no others.
  const again = site.requests.length - new Set(site.requests.map((request) => request.url)).size;
  assert(again <= 8, `${again} URLs were requested again`);
  assertRate(site, begun, 10);
});

test('nothing is requested after the report is deleted', async (t) => {
  const site = await siteWith(t, {
    '*': (request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(page('Any', `${request.url}a`, `${request.url}b`));
    },
  });
  const id = await newReport(store, `${site.origin}/`, { max_pages: 1_000, rate_limit: 20 });
  await until(async () => (await reportOf(store, id)).num_pages >= 5);
  await deleteReport(store.db, id);
  await until(async () => (await reportOf(store, id)).crawled_by === null);
  const { length } = site.requests;
  // Its next requests would have come during the crawl of another report at the same rate.
  const other = await siteWith(t, { '*': page('Other', ...Array.from({ length: 10 }, (_, index) => `/${index}`)) });
  await crawl(store, other, { rate_limit: 20 });
  assert.equal(site.requests.length, length);
});

test('a report whose starting URL failed recovers when a re-check succeeds', async (t) => {
  let status = 500;
  const site = await siteWith(t, {
    '/': (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/html' }).end(page('Home', '/a'));
    },
  });
  const id = await crawl(store, site);
  const failed = await reportOf(store, id);
  assert.equal(failed.status, 'failed');
  assert(failed.last_checked_at !== null);
  status = 200;
  const [home] = await pagesOf(store, id);
  await recheckPage(store.db, id, home?.id ?? 0);
  await crawled(store, id);
  const corrected = await reportOf(store, id);
  assert.deepEqual([corrected.status, corrected.crawl_error], ['checking', null]);
});
