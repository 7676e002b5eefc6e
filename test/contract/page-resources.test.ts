import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createA11yEngine } from '../../src/checks/a11y/engine.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { testPool } from '../helpers/browser.ts';
import { type LoopbackProxy, startLoopbackProxy } from '../helpers/loopback-proxy.ts';
import { PATIENT_PAGES, patienceMs } from '../helpers/patience.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** What identifies the style sheets, scripts and fonts of a page, also if the browser has them in its cache. */

let site: TestSite;
let proxy: LoopbackProxy;
let engine: ReturnType<typeof createA11yEngine>;
let modified: string;
const statuses: number[] = [];

before(async () => {
  site = await startTestSite({
    '/style.css': (request, response) => {
      // Like servers that send no validator with 304.
      const isKnown = request.headers['if-modified-since'] === modified;
      response.statusCode = isKnown ? 304 : 200;
      statuses.push(response.statusCode);
      response.setHeader('content-type', 'text/css');
      response.setHeader('cache-control', 'no-cache');
      if (!isKnown) response.setHeader('last-modified', modified);
      response.end(isKnown ? '' : 'p { color: #000 }');
    },
    '/data': (request, response) => {
      const { headers = '0' } = Object.fromEntries(new URL(request.url ?? '', 'http://site.test').searchParams);
      const name = (number: number): string => `x-${String(number).padStart(100, '0')}`;
      for (let number = 0; number < Number(headers); number += 1) response.setHeader(name(number), 'value');
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    },
    '/text': { headers: { 'content-type': 'text/css' }, body: 'p::after { content: "é" }' },
    '/busy': { status: 503 },
    '/working': '<!doctype html><script>new Worker("data:,")</script>',
    '/packed.svg': (request, response) => {
      const { bytes = '0' } = Object.fromEntries(new URL(request.url ?? '', 'http://site.test').searchParams);
      response.setHeader('content-type', 'image/svg+xml');
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(`<svg xmlns="http://www.w3.org/2000/svg"/>${' '.repeat(Number(bytes))}`));
    },
  });
  proxy = await startLoopbackProxy();
  engine = createA11yEngine({ pool: testPool({ proxyServer: proxy.address, slots: 1 }), limits: PATIENT_PAGES });
  await engine.start();
});
after(async () => {
  await engine?.stop();
  await proxy?.stop();
  await site?.stop();
});

async function checkOf(path: string, cacheGroup: string, content: string) {
  const body = Buffer.from(`<!doctype html><html lang="en"><title>Page</title>${content}`);
  const document = { url: `${site.origin}${path}`, httpStatus: 200, contentType: 'text/html', headers: [], body };
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup };
  return JSON.parse(Buffer.from(await engine.collect(input, AbortSignal.timeout(patienceMs))).toString());
}

async function resourcesOf(path: string, cacheGroup: string, style = '/style.css'): Promise<string> {
  return (await checkOf(path, cacheGroup, `<link rel="stylesheet" href="${style}"><p>Text`)).resources;
}

/** With one slot, the second page has the cache of the first. */
const PAGES = ['/1', '/2'];

test('resources are the same whether the browser has them in its cache or not, and differ after a change', async () => {
  modified = 'Mon, 02 Feb 2026 08:00:00 GMT';
  const first = new Set<string>();
  for (const path of PAGES) first.add(await resourcesOf(path, 'one report'));
  assert.equal(first.size, 1);
  assert.ok(statuses.includes(200) && statuses.includes(304), statuses.join());
  modified = 'Tue, 03 Feb 2026 08:00:00 GMT';
  const changed = new Set<string>();
  for (const path of PAGES) changed.add(await resourcesOf(path, 'the next report'));
  assert.equal(changed.size, 1);
  assert.notDeepEqual(changed, first);
});

test('a style sheet of another origin is requested by the page alone, and not by axe', async () => {
  let requests = 0;
  const other = await startTestSite({
    '/other.css': (_, response) => {
      requests += 1;
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('cache-control', 'no-store');
      response.setHeader('content-type', 'text/css');
      response.end('p { color: #000 }');
    },
  });
  try {
    await resourcesOf('/1', 'third report', `${other.origin}/other.css`);
    assert.equal(requests, 1);
  } finally {
    await other.stop();
  }
});

/** Pages that are nearly empty are waited for. */
const TEXT = `<p>${'A page with enough text. '.repeat(20)}</p>`;
/** Requests data, all at the same time: the page waits for all of it. */
const requesting = (urls: string): string =>
  `${TEXT}<script type="module">await Promise.all(${urls}.map(async (url) => (await fetch(url)).text()))</script>`;

test('what a page loads is not known if its list would be too long to be stored', async () => {
  const urls = (count: number, headers: number): string =>
    `Array.from({ length: ${count} }, (_, number) => '/data?headers=${headers}&number=' + number)`;
  const few = await checkOf('/few', 'third report', requesting(urls(5, 60)));
  assert.equal(few.loaded?.resources.length, 5);
  const many = await checkOf('/many', 'third report', requesting(urls(50, 60)));
  assert.equal(many.loaded, null);
});

test('what a page loads is not known if it requests one URL again and again', async () => {
  const few = await checkOf('/few', 'third report', requesting('Array(20).fill("/data?few")'));
  assert.equal(few.loaded?.resources.length, 1);
  const many = await checkOf('/many', 'third report', requesting('Array(21).fill("/data?many")'));
  assert.equal(many.loaded, null);
});

const running = (script: string): string => `<script>${script}</script>`;
const UNKNOWN: Readonly<Record<string, () => string>> = {
  'loads text whose encoding is not certain': () => '<link rel="stylesheet" href="/text">',
  'loads a file that fails for the moment': () => '<img src="/busy" alt="Busy">',
  'opens a web socket': () => running('new WebSocket(location.origin.replace("http", "ws"))'),
  'starts a worker in a frame of another site': () =>
    `<iframe title="Other" src="${site.origin.replace('127.0.0.1', 'localhost')}/working"></iframe>`,
  'sends a request that is no GET': () => running('fetch("/data", { method: "POST" })'),
};
for (const [what, content] of Object.entries(UNKNOWN)) {
  test(`what a page loads is not known if it ${what}`, async () => {
    assert.equal((await checkOf('/unknown', 'unknown', `${TEXT}${content()}`)).loaded, null);
  });
}

test('content is compared up to a decoded size, and no file is requested again for that', async () => {
  const before = site.requests.length;
  const small = await checkOf('/small', 'third report', '<img src="/packed.svg?bytes=1000" alt="Small">');
  assert.deepEqual(
    small.loaded?.resources.map(({ content }: { content: string }) => content.length),
    [44],
  );
  const large = await checkOf('/large', 'third report', '<img src="/packed.svg?bytes=6000000" alt="Large">');
  assert.equal(large.loaded, null);
  const requested = site.requests.slice(before).map(({ url }) => url);
  assert.deepEqual(requested, ['/packed.svg?bytes=1000', '/packed.svg?bytes=6000000']);
});
