import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, describe, it } from 'node:test';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient, type HttpClient } from '../../src/egress/http-client.ts';
import { createPageFetcher } from '../../src/spider/fetch-page.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { startTestSite } from '../helpers/test-site.ts';

/**
 * The limiter allows this much time between writing and arriving. A machine so busy that it delays this process, and the
 * server in it, for longer records requests later than they arrived; the test then allows for the difference. Between
 * writing and recording are two turns of the event loop, the client's and the server's, and each may be delayed.
 */
const arrivalMarginMs = 100;

describe('the rate limit at a real server', { concurrency: true }, () => {
  let httpClient: HttpClient;
  before(() => {
    const addressGuard = createAddressGuard({ allowPrivateNetworks: true });
    httpClient = createHttpClient({ addressGuard, userAgent: 'sitewarden/test' });
  });
  after(() => httpClient.close());

  const cases = [
    { name: 'kept connections', rate: 10, count: 35, connection: 'keep-alive' },
    { name: 'a new connection for each request', rate: 10, count: 35, connection: 'close' },
    { name: 'a high rate', rate: 100, count: 250, connection: 'keep-alive' },
  ];
  for (const { name, rate, count, connection } of cases) {
    it(`holds in every window of a second: ${name}`, async () => {
      const site = await startTestSite({ '*': '<title>page</title>' }, { headers: { connection } });
      const stalls = monitorEventLoopDelay({ resolution: 1 });
      stalls.enable();
      try {
        const fetchPage = createPageFetcher({ httpClient });
        const limiter = createRateLimiter({ requestsPerSecond: rate });
        const urls = Array.from({ length: count }, (_, index) => `${site.origin}/${index}`).values();
        const worker = async () => {
          for (const url of urls) assert.equal((await fetchPage(url, { limiter })).kind, 'document');
        };
        await Promise.all(Array.from({ length: 8 }, worker));
        const times = site.requests.map((request) => request.at);
        assert.equal(times.length, count);
        const stallMs = stalls.max / 1_000_000;
        const allowedMs = 1_000 - Math.max(0, 2 * stallMs - arrivalMarginMs);
        for (const [index, time] of times.entries()) {
          // [t, t + 1000) is one window, so times a second apart are in two.
          const tookMs = (times[index + rate] ?? Number.POSITIVE_INFINITY) - time;
          assert.ok(tookMs >= allowedMs, `${rate + 1} requests in ${tookMs} ms, longest stall ${stallMs} ms`);
        }
      } finally {
        stalls.disable();
        await site.stop();
      }
    });
  }
});
