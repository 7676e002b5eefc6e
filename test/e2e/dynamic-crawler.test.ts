import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { BrowserPool } from '../../src/browser/browser-pool.ts';
import { createPageRenderer, type RenderPage } from '../../src/reports/rendering/render-page.ts';
import { unpackDocument } from '../../src/store/documents.ts';
import { testPool } from '../helpers/browser.ts';
import { crawled, newReport, openTestStore, startTestCrawler, type TestStore } from '../helpers/crawler.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { type Routes, startTestSite, type TestSite } from '../helpers/test-site.ts';

/** The dynamic crawler over whole sites: what it finds, in which order, and what it costs. */

let store: TestStore;
let pool: BrowserPool;
let renderPage: RenderPage;
let crawler: { stop(): Promise<void> };
const sites: TestSite[] = [];

before(async () => {
  store = await openTestStore();
  pool = testPool();
  renderPage = createPageRenderer({ pool });
  await pool.start();
  crawler = await startTestCrawler(store, (document, options) => renderPage(document, options));
});
after(async () => {
  await crawler?.stop();
  await pool?.stop();
  await store?.close();
  for (const site of sites) await site.stop();
});
afterEach(() => {
  renderPage = createPageRenderer({ pool });
});

async function startSite(content: Parameters<typeof startTestSite>[0]): Promise<TestSite> {
  const site = await startTestSite(content);
  sites.push(site);
  return site;
}

const SHELL = `<!DOCTYPE html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"></head><body><main>Loading …</main>
  <script type="module" src="/router.js"></script></body></html>`;

/** A client-side router: pages come from an API, links are handled with the History API, one route is pushed unasked. */
const ROUTER = `
  const show = async () => {
    const path = location.pathname;
    if (path === '/') history.replaceState(null, '', '/home');
    const { title, links } = await (await fetch('/api' + path)).json();
    document.title = title;
    document.querySelector('main').replaceChildren(...links.map((href) => Object.assign(document.createElement('a'), { href, textContent: href })));
    if (path === '/b') history.pushState(null, '', '/pushed');
  };
  addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link === null) return;
    event.preventDefault();
    history.pushState(null, '', link.href);
    show();
  });
  show();`;

const LINKS: Readonly<Record<string, readonly string[]>> = {
  '/': ['/a', '/b', '/#hash', '/nowhere'],
  '/a': ['/c', '/b', 'https://elsewhere.invalid/'],
  '/b': ['/', '/d?x=1'],
};

/** The site of the router; its API answers after a moment that is never the same. */
const SHOP: Routes = {
  '*': (request, response) => {
    const url = request.url ?? '/';
    const path = url.split('?', 1)[0] ?? url;
    if (path === '/router.js') response.setHeader('content-type', 'text/javascript').end(ROUTER);
    else if (path.startsWith('/api')) {
      const links = LINKS[path.slice(4)] ?? [];
      setTimeout(() => response.end(JSON.stringify({ title: `Page ${path.slice(4)}`, links })), Math.random() * 150);
    } else if (path === '/nowhere') response.writeHead(404, { 'content-type': 'text/html' }).end('<title>x</title>');
    else response.setHeader('content-type', 'text/html').end(SHELL);
  },
};

const SHOP_PAGES = [
  ['/', null, 'Page /'],
  ['/a', '/', 'Page /a'],
  ['/b', '/', 'Page /b'],
  ['/nowhere', '/', null],
  ['/home', '/', 'Page /home'],
  ['/c', '/a', 'Page /c'],
  ['/d?x=1', '/b', 'Page /d'],
  ['/pushed', '/b', 'Page /pushed'],
];

async function crawl(site: TestSite, changes: Parameters<typeof newReport>[2] = {}, path = '/'): Promise<string> {
  const reportId = await newReport(store, `${site.origin}${path}`, { dynamicCrawler: true, ...changes });
  await crawled(store, reportId);
  return reportId;
}

function rowsOf(reportId: string) {
  return store.db
    .selectFrom('web_pages')
    .leftJoin('documents', 'documents.hash', 'web_pages.document_hash')
    .select(['id', 'url', 'linked_from', 'title', 'render_error', 'body'])
    .where('report_id', '=', reportId)
    .orderBy('id')
    .execute();
}

async function pagesOf(reportId: string, site: TestSite) {
  const path = (url: string | null) => url?.replace(site.origin, '') ?? null;
  return (await rowsOf(reportId)).map((row) => [path(row.url), path(row.linked_from), row.title]);
}

function reportOf(reportId: string) {
  return store.db.selectFrom('reports').selectAll().where('id', '=', reportId).executeTakeFirstOrThrow();
}

async function spentOn(reportId: string): Promise<Record<string, number>> {
  const entries = await store.db
    .selectFrom('credit_entries')
    .select(['reason', (eb) => eb.fn.sum<string>('amount').as('amount')])
    .where('report_id', '=', reportId)
    .groupBy('reason')
    .execute();
  return Object.fromEntries(entries.map(({ reason, amount }) => [reason, Number(amount)]));
}

async function person(credits: number): Promise<string> {
  return (await createAccount(store.db, { email: `p${Math.random()}@example.com`, credits })).id;
}

test('a site whose pages are made by a script is found whole, in one order whatever the timing', async () => {
  const site = await startSite(SHOP);
  const id = await crawl(site);
  assert.deepEqual(await pagesOf(id, site), SHOP_PAGES);
  const { status, crawl_error: error, num_pages: numPages } = await reportOf(id);
  assert.deepEqual([status, error, numPages], ['checking', null, 8]);
  for (const { body } of (await rowsOf(id)).filter((row) => row.body !== null)) {
    assert.equal(String(await unpackDocument(body ?? Buffer.alloc(0))), SHELL, 'what is checked is what was sent');
  }
  const documents = site.requests.filter(({ url }) => !/^\/(api|router)/.test(url));
  assert.equal(documents.length, 8, 'every document is requested once, and the browser requests none');

  const again = await Promise.all([crawl(site), crawl(site)]);
  for (const other of again) assert.deepEqual(await pagesOf(other, site), SHOP_PAGES);

  const still = await crawl(site, { dynamicCrawler: false });
  assert.deepEqual(await pagesOf(still, site), [['/', null, 'Shop']]);
  assert.match((await reportOf(still)).crawl_error ?? '', /no links to other pages.*The dynamic crawler finds/);
});

test('a site without scripts gives the same pages as without rendering', async () => {
  const site = await startSite({
    directory: join(import.meta.dirname, '../../node_modules/startbootstrap-sb-admin-2'),
  });
  const [rendered, sent] = await Promise.all([
    crawl(site, { maxPages: 12 }),
    crawl(site, { maxPages: 12, dynamicCrawler: false }),
  ]);
  const pages = await pagesOf(rendered, site);
  assert.equal(pages.length, 12);
  assert.deepEqual(pages, await pagesOf(sent, site));
});

test('a page costs one credit more, nothing is lost when they run out, and a re-check renders nothing', async () => {
  const site = await startSite(SHOP);
  // The starting page and two others, with a check each, and a check of the next.
  const accountId = await person(7);
  const id = await crawl(site, { accountId });
  assert.deepEqual(await spentOn(id), { rendered_pages: -3, checks: -4 });
  const pages = await rowsOf(id);
  assert.deepEqual(
    pages.slice(0, 5).map(({ render_error: error }) => error?.slice(0, 15) ?? null),
    [null, null, null, null, 'No credits left'],
  );
  const { crawl_error: error } = await reportOf(id);
  assert.match(error ?? '', /credits ran out/);
  await assertLedgerAddsUp(store.db);
});
