import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { changeCredits, createAccount } from '../../src/accounts/accounts.ts';
import { createPageRenderer } from '../../src/crawling/rendering/render-page.ts';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { unpackDocument } from '../../src/platform/packed-document.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { testPool } from '../helpers/browser.ts';
import { crawled, crawl as crawlSite, newReport, reportOf, startTestCrawl } from '../helpers/crawler.ts';
import { assertLedgerAddsUp } from '../helpers/ledger.ts';
import { PATIENT_PAGES } from '../helpers/patience.ts';
import { randomFrom } from '../helpers/random.ts';
import { type Routes, siteWith, type TestSite } from '../helpers/test-site.ts';

/** The dynamic crawler over whole sites: what it finds, in which order, and what it costs. */

const pool = testPool();
await pool.start();
let renderPage = createPageRenderer({ pool, limits: PATIENT_PAGES });
const { store, crawler } = await startTestCrawl((document, options) => renderPage(document, options));
after(() => pool.stop());
afterEach(() => {
  renderPage = createPageRenderer({ pool, limits: PATIENT_PAGES });
});

const SHELL = `<!DOCTYPE html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"></head><body><main>Loading …</main>
  <script type="module" src="/router.js"></script></body></html>`;

/** A client-side router: pages come from an API, links use the History API, one route is pushed without a click. */
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

const random = randomFrom();

/** The site of the router; its API responds after varying delays. */
const SHOP: Routes = {
  '*': (request, response) => {
    const url = request.url ?? '/';
    const path = url.split('?', 1)[0] ?? url;
    if (path === '/router.js') response.setHeader('content-type', 'text/javascript').end(ROUTER);
    else if (path.startsWith('/api')) {
      const links = LINKS[path.slice(4)] ?? [];
      setTimeout(() => response.end(JSON.stringify({ title: `Page ${path.slice(4)}`, links })), random() * 150);
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

function crawl(site: TestSite, changes: Parameters<typeof newReport>[2] = {}, path?: string): Promise<string> {
  return crawlSite(store, site, { dynamic_crawler: true, ...changes }, path);
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

async function spentOn(reportId: string): Promise<Record<string, number>> {
  const entries = await store.db
    .selectFrom('credit_entries')
    .select(['reason', (eb) => eb.fn.sum<string>('amount').as('amount')])
    .where('report_id', '=', reportId)
    .groupBy('reason')
    .execute();
  return Object.fromEntries(entries.map(({ reason, amount }) => [reason, Number(amount)]));
}

async function numEntriesOf(reportId: string): Promise<number> {
  const entries = await store.db.selectFrom('credit_entries').select('id').where('report_id', '=', reportId).execute();
  return entries.length;
}

async function person(credits: number): Promise<string> {
  return (await createAccount(store.db, { email: `p${random()}@example.com`, credits })).id;
}

test('a starting page that is not included is rendered for its links, which costs a credit', async (t) => {
  const site = await siteWith(t, SHOP);
  const accountId = await person(10);
  const id = await crawl(site, { accountId, inclusions: ['/a', '/c'] });
  assert.deepEqual(await pagesOf(id, site), [
    ['/a', '/', 'Page /a'],
    ['/c', '/a', 'Page /c'],
  ]);
  assert.deepEqual(await spentOn(id), { checks: -2, rendered_pages: -3 });
  await assertLedgerAddsUp(store.db);
});

test('a site built by scripts is found completely', async (t) => {
  const site = await siteWith(t, SHOP);
  const id = await crawl(site);
  assert.deepEqual(await pagesOf(id, site), SHOP_PAGES);
  const { status, crawl_error: error, num_pages: numPages } = await reportOf(store, id);
  assert.deepEqual([status, error, numPages], ['checking', null, 8]);
  for (const { body } of (await rowsOf(id)).filter((row) => row.body !== null)) {
    assert.equal(
      String(await unpackDocument(body ?? Buffer.alloc(0))),
      SHELL,
      'the checks use the documents that were sent',
    );
  }
  const documents = site.requests.filter(({ url }) => !/^\/(api|router)/.test(url));
  assert.equal(documents.length, 8, 'every document is requested once, and the browser requests none');

  const still = await crawl(site, { dynamic_crawler: false });
  assert.deepEqual(await pagesOf(still, site), [['/', null, 'Shop']]);
  assert.match(
    (await reportOf(store, still)).crawl_error ?? '',
    /no links to other pages.*The dynamic crawler also finds/,
  );
});

test('a site without scripts gives the same pages as without rendering', async (t) => {
  const site = await siteWith(t, {
    directory: join(import.meta.dirname, '../../node_modules/startbootstrap-sb-admin-2'),
  });
  const [rendered, sent] = await Promise.all([
    crawl(site, { max_pages: 3 }),
    crawl(site, { max_pages: 3, dynamic_crawler: false }),
  ]);
  const pages = await pagesOf(rendered, site);
  assert.equal(pages.length, 3);
  assert.deepEqual(pages, await pagesOf(sent, site));
});

test('a rendered page costs one more credit, and nothing is lost when they run out', async (t) => {
  const site = await siteWith(t, SHOP);
  // The starting page and two others with a check each, and a check of the next.
  const accountId = await person(7);
  const id = await crawl(site, { accountId });
  assert.deepEqual(await spentOn(id), { rendered_pages: -3, checks: -4 });
  const pages = await rowsOf(id);
  assert.deepEqual(
    pages.slice(0, 5).map((page) => [new URL(page.url).pathname, page.render_error && sentenceOf(page.render_error)]),
    [
      ['/', null],
      ['/a', null],
      ['/b', null],
      ['/nowhere', null],
      ['/home', 'No credits left: the page was not rendered'],
    ],
  );
  assert.match((await reportOf(store, id)).crawl_error ?? '', /credits ran out before everything was checked/);
  await assertLedgerAddsUp(store.db);

  // Once every check is paid for, only renderings are missing.
  await changeCredits(store.db, accountId, { add: 100 });
  const failed = await store.db
    .selectFrom('checks')
    .innerJoin('web_pages', 'web_pages.id', 'checks.web_page_id')
    .select('web_page_id')
    .where('checks.report_id', '=', id)
    .where('checks.status', '=', 'failed')
    .where('web_pages.document_hash', 'is not', null)
    .execute();
  for (const { web_page_id: page } of failed) await recheckPage(store.db, id, page);
  assert.match((await reportOf(store, id)).crawl_error ?? '', /ran out before every page was rendered/);
});

test('a crawl that is interrupted while rendering finds the same in one order, and nothing is charged twice', async (t) => {
  const site = await siteWith(t, SHOP);
  const accountId = await person(100);
  const real = renderPage;
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  renderPage = async (document, options) => {
    const rendering = await real(document, options);
    if (!document.url.endsWith('/b')) return rendering;
    reach();
    return new Promise((_, reject) => options.signal.addEventListener('abort', () => reject(options.signal.reason)));
  };
  const id = await newReport(store, `${site.origin}/`, { dynamic_crawler: true, accountId });
  await reached;
  await crawler.stop();
  renderPage = real;
  await crawler.start();
  await crawled(store, id);
  assert.deepEqual(await pagesOf(id, site), SHOP_PAGES);
  assert.deepEqual(await spentOn(id), { rendered_pages: -7, checks: -7 });
  assert.equal(await numEntriesOf(id), 2, 'the ledger has a line for each');

  // A re-check follows no links and so renders nothing, and the document's own title is not new.
  const [first] = await rowsOf(id);
  await recheckPage(store.db, id, first?.id ?? 0);
  await crawled(store, id);
  assert.deepEqual(await spentOn(id), { rendered_pages: -7, checks: -7 });
  assert.equal((await rowsOf(id))[0]?.title, 'Page /');
  await assertLedgerAddsUp(store.db);
});

test('a page that cannot be rendered keeps the links that the server sent, and URLs of any length do no harm', async (t) => {
  // Random, since a database compresses what repeats itself.
  const long = Array.from({ length: 12_000 }, () => Math.floor(random() * 16).toString(16)).join('');
  const site = await siteWith(t, {
    '/': '<!DOCTYPE html><title>Home</title><a href=/gone>x</a><a href=/leads>x</a><a href=/sound>x</a>',
    '/gone': `<!DOCTYPE html><title>Gone</title><a href=/of-gone>x</a><script>location = 'about:blank?' + 'a'.repeat(1_900_000)</script>`,
    '/leads': `<!DOCTYPE html><title>Leads</title><script>location = '/next?${long}'</script>`,
    '/sound': '<!DOCTYPE html><title>Sound</title><script>document.write("<a href=/made>x</a>")</script>',
    '*': '<!DOCTYPE html><title>Leaf</title>',
  });
  const accountId = await person(100);
  const id = await crawl(site, { accountId });
  assert.deepEqual(await pagesOf(id, site), [
    ['/', null, 'Home'],
    ['/gone', '/', 'Gone'],
    ['/leads', '/', 'Leads'],
    ['/sound', '/', 'Sound'],
    ['/of-gone', '/gone', 'Leaf'],
    ['/made', '/sound', 'Leaf'],
  ]);
  const errors = (await rowsOf(id)).map((row) => row.render_error && sentenceOf(row.render_error));
  assert.match(errors[1] ?? '', /^A script on the page replaced it .*a…a.* while it was shown\.$/);
  assert.ok((errors[1] ?? '').length <= 1_000);
  assert.deepEqual(errors.toSpliced(1, 2), [null, null, null, null]);
  const { crawl_failed: failed, crawl_error: error } = await reportOf(store, id);
  assert.deepEqual([failed, error], [false, null]);
  assert.deepEqual(await spentOn(id), { rendered_pages: -6, checks: -6 }, 'the browser has worked on all of them');

  const fromGone = await crawl(site, { max_pages: 1 }, '/gone');
  assert.match(
    (await reportOf(store, fromGone)).crawl_error ?? '',
    /^The starting page could not be rendered.*replaced it/,
  );
});

test('canonical links of both kinds count, and known duplicates are not rendered', async (t) => {
  const site = await siteWith(t, {
    '/': '<!DOCTYPE html><a href="/page?ref=1">x</a><a href="/page?ref=2">x</a><a href="/made?ref=1">x</a><a href=/one>x</a>',
    '/page': '<!DOCTYPE html><head><link rel=canonical href=/page>',
    '/made': `<!DOCTYPE html><script>document.head.innerHTML = '<link rel=canonical href=/made>'</script>`,
    // Each names the other, so one of them must be listed.
    '/one':
      '<!DOCTYPE html><head><link rel=canonical href=/other></head><script>document.write("<a href=/of-one>x</a>")</script>',
    '/other':
      '<!DOCTYPE html><head><link rel=canonical href=/one></head><script>document.write("<a href=/of-other>x</a>")</script>',
    '*': '<!DOCTYPE html><title>x</title>',
  });
  const rendered: string[] = [];
  const real = renderPage;
  renderPage = (document, options) => {
    rendered.push(document.url.replace(site.origin, ''));
    return real(document, options);
  };
  const id = await crawl(site);
  const found = (await pagesOf(id, site)).map(([url]) => url);
  assert.deepEqual(found, ['/', '/page', '/made', '/other', '/of-other']);
  assert.deepEqual(rendered.toSorted(), ['/', '/made', '/made?ref=1', '/of-other', '/one', '/other', '/page']);
});

test('pages whose links are not followed are not rendered', async (t) => {
  const site = await siteWith(t, {
    '/': '<!DOCTYPE html><script>document.write("<a href=/made>x</a>")</script>',
    '/made': '<!DOCTYPE html><script>document.write("<a href=/further>x</a>")</script>',
    '/sitemap.txt': (request, response) =>
      void response.setHeader('content-type', 'text/plain').end(`http://${request.headers.host}/made`),
  });
  const shallow = await crawl(site, { deep_crawl: false, accountId: await person(100) });
  assert.deepEqual(
    (await pagesOf(shallow, site)).map(([url]) => url),
    ['/', '/made'],
  );
  assert.deepEqual(await spentOn(shallow), { rendered_pages: -1, checks: -2 });
  const listed = await crawl(site, { accountId: await person(100) }, '/sitemap.txt');
  assert.deepEqual(await spentOn(listed), { checks: -1 });
});
