import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient, type HttpClient } from '../../src/egress/http-client.ts';
import { retryAfterMs } from '../../src/egress/response-head.ts';
import { createPageFetcher, createRetryingFetcher } from '../../src/spider/fetch-page.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';

/** All requests of a crawl respect the pause that a busy server asks for. */

let site: TestSite;
let httpClient: HttpClient;
/** How often each path still reports that the server is busy. */
let busy: Record<string, number>;

before(async () => {
  const route = (status: number, headers: () => Record<string, string>) => ({
    status,
    headers,
  });
  const kinds: Record<string, ReturnType<typeof route>> = {
    '/seconds': route(429, () => ({ 'retry-after': '1' })),
    '/date': route(503, () => ({ 'retry-after': new Date(Date.now() + 1_500).toUTCString() })),
    '/silent': route(429, () => ({})),
    '/down': route(503, () => ({})),
    '/long': route(503, () => ({ 'retry-after': '3600' })),
  };
  site = await startTestSite({
    '*': (request, response) => {
      const path = request.url ?? '';
      const left = busy[path] ?? 0;
      busy[path] = left - 1;
      const kind = kinds[path];
      response.setHeader('content-type', 'text/html');
      if (kind !== undefined && left > 0) response.writeHead(kind.status, kind.headers());
      response.end('<!DOCTYPE html><title>x</title>');
    },
  });
  httpClient = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
    userAgent: 'sitewarden/test',
  });
});
beforeEach(() => {
  busy = {};
  site.requests.length = 0;
});
after(async () => {
  await httpClient.close();
  await site.stop();
});

function newCrawl() {
  const limiter = createRateLimiter({ requestsPerSecond: 50 });
  const patience = { attemptsMax: 3, restMaxMs: 5_000, defaultRestMs: 100, failuresMax: 3, givenUpMax: 1 };
  const fetch = createRetryingFetcher(createPageFetcher({ httpClient }), limiter, patience);
  return async (path: string): Promise<string> => {
    const outcome = await fetch(`${site.origin}${path}`, {});
    return outcome.kind === 'failed' ? sentenceOf(outcome.failure) : outcome.kind;
  };
}

test('the crawl pauses for the time that the server requests, and then gets the page', async () => {
  busy = { '/seconds': 1 };
  const fetch = newCrawl();
  const first = fetch('/seconds');
  // This one is requested while the crawl pauses.
  const busyAt = await new Promise<number>((resolve) => {
    const timer = setInterval(() => {
      const seen = site.requests[0];
      if (seen === undefined) return;
      clearInterval(timer);
      setTimeout(resolve, 200, seen.at);
    }, 5);
  });
  assert.equal(await fetch('/other'), 'document');
  assert.equal(await first, 'document');
  assert.deepEqual(site.requests.map(({ url }) => url).toSorted(), ['/other', '/seconds', '/seconds']);
  for (const { at } of site.requests.slice(1)) assert(at - busyAt >= 990, `came after ${at - busyAt} ms`);
});

test('it understands dates, and pauses after 429 by default', async () => {
  busy = { '/date': 1, '/silent': 2 };
  assert.equal(await newCrawl()('/date'), 'document');
  assert.equal(await newCrawl()('/silent'), 'document');
  assert.equal(site.requests.length, 5);
});

test('it gives up eventually, and then waits for no other page', async () => {
  busy = { '/down': 9, '/long': 9, '/silent': 99 };
  const fetch = newCrawl();
  assert.equal(await fetch('/down'), 'The page returned 503');
  const givenUp = /^The page returned \d+: the site was too busy for this crawl; a lower rate_limit may help$/;
  assert.match(await fetch('/long'), givenUp);
  assert.match(await fetch('/silent'), givenUp);
  assert.equal(site.requests.filter(({ url }) => url === '/silent').length, 3);
  assert.match(await fetch('/silent'), givenUp);
  assert.equal(site.requests.filter(({ url }) => url === '/silent').length, 4);
});

test('Retry-After is parsed as the standard requires', () => {
  const read = (value: string) => retryAfterMs({ headers: [['retry-after', value]] }, Date.UTC(2026, 0, 1));
  assert.equal(read('120'), 120_000);
  assert.equal(read(' 0 '), 0);
  assert.equal(read('Thu, 01 Jan 2026 00:01:00 GMT'), 60_000);
  assert.equal(read('Wed, 31 Dec 2025 00:00:00 GMT'), 0);
  for (const value of ['', '-5', '1.5', 'soon', '2026'])
    assert.equal(read(value), value === '2026' ? 2_026_000 : null, value);
});
