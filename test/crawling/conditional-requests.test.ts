import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { listDevices } from '../../src/browser/devices.ts';
import { NO_ACCESS } from '../../src/domain/site-access.ts';
import { unpackDocument } from '../../src/platform/packed-document.ts';
import { recheckPage } from '../../src/store/rechecks/page-recheck.ts';
import { crawl, crawled, startTestCrawl } from '../helpers/crawler.ts';
import { startTestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** A re-checked page is downloaded again only if its server does not report that it is unchanged. */

const html = (title: string) => `<!DOCTYPE html><title>${title}</title>`;

let answer: (headers: IncomingHttpHeaders, response: ServerResponse) => void | Promise<void>;

const { store } = await startTestCrawl();
const site = await startTestSite({
  '*': (request, response) => {
    response.setHeader('content-type', 'text/html');
    void answer(request.headers, response);
  },
});
beforeEach(() => {
  site.requests.length = 0;
});
after(() => site.stop());

/** Responds with a version of a document, or with 304 to a conditional request for it. */
function serve(version: string, extra: Readonly<Record<string, string>> = {}): typeof answer {
  return (headers, response) => {
    for (const [name, value] of Object.entries({ etag: `"${version}"`, ...extra })) response.setHeader(name, value);
    if (headers['if-none-match'] === `"${version}"`) response.writeHead(304).end();
    else response.end(html(version));
  };
}

function pageOf(reportId: string) {
  return store.db
    .selectFrom('web_pages')
    .leftJoin('documents', 'documents.hash', 'web_pages.document_hash')
    .select(['web_pages.id', 'http_status', 'title', 'headers', 'documents.body'])
    .where('report_id', '=', reportId)
    .executeTakeFirstOrThrow();
}

/** The report of a page with its current response. */
function checked(path: string): Promise<string> {
  return crawl(store, site, { deep_crawl: false, max_pages: 1 }, path);
}

async function recheck(reportId: string): Promise<void> {
  await recheckPage(store.db, reportId, (await pageOf(reportId)).id);
}

/** The parts of a page that are compared. */
async function found(reportId: string) {
  const page = await pageOf(reportId);
  const checks = await store.db
    .selectFrom('checks')
    .select(['status', 'runnable'])
    .where('web_page_id', '=', page.id)
    .execute();
  const document = page.body === null ? null : (await unpackDocument(page.body)).toString();
  return { status: page.http_status, title: page.title, document, checks };
}

const READY = [{ status: 'pending', runnable: true }];
const asked = () => site.requests.map(({ headers }) => headers['if-none-match'] ?? null);

test('an unchanged document is checked again with its new headers', async () => {
  answer = serve('one', { 'content-language': 'en', 'x-old': '1' });
  const reportId = await checked('/stands');
  const first = await found(reportId);
  answer = serve('one', { 'content-language': 'de' });
  await recheck(reportId);
  await crawled(store, reportId);
  assert.deepEqual(asked(), [null, '"one"']);
  assert.deepEqual(await found(reportId), first);
  assert.deepEqual(first, { status: 200, title: 'one', document: html('one'), checks: READY });
  const headers = Object.fromEntries((await pageOf(reportId)).headers);
  assert.deepEqual([headers['content-language'], headers['x-old'], headers['content-type']], ['de', '1', 'text/html']);
});

test('a changed document, or one of a server without conditional requests, is replaced', async () => {
  answer = serve('one');
  const reportId = await checked('/changes');
  answer = serve('two');
  await recheck(reportId);
  await crawled(store, reportId);
  assert.deepEqual(asked(), [null, '"one"']);
  assert.equal((await found(reportId)).document, html('two'));
  answer = (_headers, response) => void response.setHeader('etag', '"two"').end(html('three'));
  await recheck(reportId);
  await crawled(store, reportId);
  assert.deepEqual(await found(reportId), {
    status: 200,
    title: 'three',
    document: html('three'),
    checks: READY,
  });
});

test('after a failure the page is requested without conditions', async () => {
  answer = serve('one');
  const reportId = await checked('/fails');
  answer = (_headers, response) => void response.writeHead(500).end();
  await recheck(reportId);
  await crawled(store, reportId);
  assert.deepEqual((await found(reportId)).status, 500);
  answer = serve('one');
  await recheck(reportId);
  await crawled(store, reportId);
  assert.deepEqual(asked(), [null, '"one"', null]);
  assert.equal((await found(reportId)).document, html('one'));
});

test('an unexpected 304 is a failure', async () => {
  answer = (_headers, response) => void response.end(html('untagged'));
  const reportId = await checked('/untagged');
  answer = (_headers, response) => void response.writeHead(304).end();
  await recheck(reportId);
  await crawled(store, reportId);
  assert.deepEqual(asked(), [null, null]);
  assert.deepEqual((await found(reportId)).status, 304);
});

test('a worker that dies between request and response leaves the page to be requested again', async () => {
  answer = serve('one');
  const reportId = await checked('/lost');
  const first = await found(reportId);
  answer = () => undefined;
  await recheck(reportId);
  await until(() => site.requests.length === 2);
  answer = serve('one');
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'sitewarden worker' AND datname = current_database()`.execute(store.db);
  await crawled(store, reportId);
  assert.deepEqual(asked(), [null, '"one"', '"one"']);
  assert.deepEqual(await found(reportId), first);
});

test('a later report of the site downloads a page only if it has changed', async () => {
  answer = serve('one', { 'content-language': 'en' });
  const first = await checked('/again');
  const second = await checked('/again');
  assert.deepEqual(asked(), [null, '"one"']);
  assert.deepEqual(await found(second), await found(first));
  const headers = Object.fromEntries((await pageOf(second)).headers);
  assert.deepEqual([headers['content-language'], headers['content-type']], ['en', 'text/html']);
  answer = serve('two');
  assert.equal((await found(await checked('/again'))).document, html('two'));
});

test('a page is downloaded if its earlier document is deleted while the server says that it has not changed', async () => {
  answer = serve('removed');
  await checked('/deleted');
  answer = async (headers, response) => {
    const { db } = store;
    if (headers['if-none-match'] !== undefined) {
      await db.updateTable('web_pages').set({ document_hash: null }).where('url', 'like', '%/deleted').execute();
      await sql`DELETE FROM documents d WHERE NOT EXISTS (SELECT FROM web_pages p WHERE p.document_hash = d.hash)`.execute(
        db,
      );
    }
    serve('removed')(headers, response);
  };
  assert.equal((await found(await checked('/deleted'))).document, html('removed'));
  assert.deepEqual(asked(), [null, '"removed"', null]);
});

test('a report without reuse, on another device, with credentials or after the deletion of the earlier ones downloads every page', async () => {
  answer = serve('one');
  const one = { deep_crawl: false, max_pages: 1 };
  await crawl(store, site, one, '/anew');
  for (const settings of [{ reuse: false }, { device_id: listDevices()[0]?.id ?? null }]) {
    const reportId = await crawl(store, site, { ...one, ...settings }, '/anew');
    assert.equal((await found(reportId)).document, html('one'));
  }
  const siteAccess = { ...NO_ACCESS, headers: { 'x-visitor': 'one' } };
  await crawl(store, site, { ...one, siteAccess }, '/anew');
  await store.db.updateTable('reports').set({ deleted_at: new Date() }).execute();
  await crawl(store, site, one, '/anew');
  assert.deepEqual(asked(), [null, null, null, null, null]);
});
