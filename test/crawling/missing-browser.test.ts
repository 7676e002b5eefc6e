import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findChromium } from '../../src/browser/find-chromium.ts';
import { createPageRenderer, type RenderPage } from '../../src/crawling/rendering/render-page.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { createReportSessions } from '../../src/logins/report-sessions.ts';
import { AppError } from '../../src/platform/errors.ts';
import { browserCache, quietLog, testPool } from '../helpers/browser.ts';
import { crawl, crawled, newReport, openTestStore, pagesOf, reportOf, startTestCrawler } from '../helpers/crawler.ts';
import { credentialStore } from '../helpers/credential-store.ts';
import { PATIENT_PAGES } from '../helpers/patience.ts';
import { type Routes, siteWith } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Reports that need the browser wait for it, as checks do, and miss nothing. Others do not wait. */

const store = await openTestStore();
after(() => store.close());

const html = (body: string) => ({ body: `<!DOCTYPE html><title>x</title>${body}` });
const SITE: Routes = {
  '/': html('<a href=/sent>x</a><script>document.write("<a href=/made>x</a>")</script>'),
  '/sent': html(''),
  '/made': html(''),
};
const PATHS = ['/', '/sent', '/made'];

test('reports wait until the browser can be started, and reports that need none are crawled', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'sitewarden-late-'));
  const executable = join(directory, 'chromium');
  const pool = testPool({ find: { executable, cacheDirectory: browserCache } });
  const found = await findChromium({ executable: null, cacheDirectory: browserCache });
  const crawler = await startTestCrawler(store, createPageRenderer({ pool, limits: PATIENT_PAGES }), {
    browser: pool,
    sessions: createReportSessions({ db: store.db, credentialStore, pool, log: quietLog }),
    journeys: { pool, engines: [], limits: {} },
  });
  t.after(async () => {
    await crawler.stop();
    await pool.stop();
    await rm(directory, { recursive: true });
  });
  const form = '<form method=post><input id=password type=password name=password><button>Sign in</button></form>';
  const site = await siteWith(t, {
    ...SITE,
    '/login': (request, response) => {
      if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(form);
      response.writeHead(303, { location: '/private', 'set-cookie': 'session=1' }).end();
    },
    '/private': (request, response) => {
      const isSignedIn = request.headers.cookie === 'session=1';
      response.writeHead(isSignedIn ? 200 : 403, { 'content-type': 'text/html' }).end('<title>Private</title>');
    },
  });
  const steps = [
    { open: `${site.origin}/login` },
    { fill: '#password', secret: 'secret' },
    { click: 'button' },
    { wait_for: { url: '/private' } },
  ];
  const waiting = await Promise.all([
    newReport(store, `${site.origin}/`, { dynamic_crawler: true }),
    newReport(store, `${site.origin}/private`, {
      siteAccess: { ...NO_ACCESS, login: { steps, signed_in: null } },
      max_pages: 1,
    }),
    newReport(store, `${site.origin}/`, {
      journeys: [{ name: 'visit', steps: [{ open: `${site.origin}/made` }, { check: 'made' }] }],
      only_journeys: true,
    }),
  ]);
  await until(pool.isBroken);
  const plain = await crawl(store, site);
  assert.deepEqual(
    (await pagesOf(store, plain)).map(({ url }) => url),
    ['/', '/sent'].map((path) => site.origin + path),
  );
  for (const id of waiting) {
    await until(async () => (await reportOf(store, id)).crawled_by === null);
    const { crawl_pending: isWaiting, num_pages: numPages, crawl_failures: failures } = await reportOf(store, id);
    assert.deepEqual([isWaiting, numPages, failures], [true, 0, 0]);
  }
  await symlink(found.executable, executable);
  for (const id of waiting) await crawled(store, id);
  const outcomes = await Promise.all(
    waiting.map(async (id) => {
      const { crawl_error: error } = await reportOf(store, id);
      const pages = await pagesOf(store, id);
      return [error, ...pages.map(({ url, http_status: status }) => `${url.slice(site.origin.length)} ${status}`)];
    }),
  );
  assert.deepEqual(outcomes, [
    [null, ...PATHS.map((path) => `${path} 200`)],
    [null, '/private 200'],
    [null, '/#journey/visit/made 200'],
  ]);
});

test('a crawl whose browser cannot be started again continues when it can, and misses no link', async (t) => {
  const pool = testPool();
  await pool.start();
  const real = createPageRenderer({ pool, limits: PATIENT_PAGES });
  let renderings = 0;
  let isBroken = false;
  const renderPage: RenderPage = async (document, options) => {
    renderings += 1;
    isBroken ||= renderings === 2;
    if (isBroken) throw new AppError('browser_failed_to_start', 'The browser did not start.');
    return real(document, options);
  };
  const browser = {
    isBroken: () => isBroken,
    async isReady() {
      isBroken = false;
      return true;
    },
  };
  const crawler = await startTestCrawler(store, renderPage, { browser });
  t.after(async () => {
    await crawler.stop();
    await pool.stop();
  });
  const site = await siteWith(t, {
    ...SITE,
    '/sent': html('<script>document.write("<a href=/of-sent>x</a>")</script>'),
  });
  const id = await crawl(store, site, { dynamic_crawler: true });
  assert.equal((await reportOf(store, id)).crawl_error, null);
  assert.deepEqual(
    (await pagesOf(store, id)).map(({ url }) => url),
    [...PATHS, '/of-sent'].map((path) => site.origin + path),
  );
});
