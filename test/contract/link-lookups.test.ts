import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { LINKS } from '../../src/checks/links/description.ts';
import { createLinkEngine } from '../../src/checks/links/engine.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { createNameResolver } from '../../src/egress/name-resolver.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { type NameServer, startNameServer } from '../helpers/name-server.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The link check while name servers do not respond: what is looked up, how often, and what waits for it. */

const TIMEOUT_MS = 3_000;
const AGAIN_AFTER_MS = 200;

let server: NameServer;
let site: TestSite;
/** Hosts in the order in which they were looked up. */
let lookups: string[];

before(async () => {
  server = await startNameServer((name) => {
    const nth = lookups.filter((host) => host === name).length;
    if (name.startsWith('silent')) return 'silent';
    if (name === 'missing.test') return 'missing';
    // The second lookup is for the request.
    if (name === 'broken-once.test') return nth === 1 ? 'error' : ['127.0.0.1'];
    if (name === 'broken-later.test') return nth === 2 ? 'error' : ['127.0.0.1'];
    return ['127.0.0.1'];
  });
  site = await startTestSite({
    '*': 'Fine',
    '/to-silent': { status: 302, headers: { location: 'http://silent.test/' } },
  });
});
beforeEach(() => {
  lookups = [];
});
after(async () => {
  await server.close();
  await site.stop();
});

const timesLookedUp = (host: string): number => lookups.filter((name) => name === host).length;

/**
 * Returns a function that checks a page with links and returns the rules of what is found, by URL.
 * @param beforeSilence what lookups without a response wait for
 */
function linkCheck(beforeSilence: Promise<unknown> = Promise.resolve()) {
  const resolver = createNameResolver({ servers: [server.address], asksSystem: false, timeoutMs: TIMEOUT_MS });
  const names: typeof resolver = {
    async resolve(hostname) {
      lookups.push(hostname);
      if (hostname.startsWith('silent')) await beforeSilence;
      return resolver.resolve(hostname);
    },
  };
  const addressGuard = createAddressGuard({ allowPrivateNetworks: true, names });
  const httpClient = createHttpClient({ addressGuard, userAgent: 'sitewarden/test' });
  const limits = { lookUpAgainAfterMs: AGAIN_AFTER_MS };
  const engine = createLinkEngine({ httpClient, limiters: createSharedLimiters(1_000), limits });
  return async (page: string, links: readonly string[], signal = AbortSignal.timeout(180_000)) => {
    const body = Buffer.from(links.map((href) => `<a href="${href}">x</a>`).join(''));
    const document = { url: `${site.origin}${page}`, httpStatus: 200, contentType: 'text/html', headers: [], body };
    const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'report', requestsPerSecond: 100 };
    const { issues } = LINKS.interpret(await engine.collect(input, signal), document.url);
    return issues.map(({ ruleId, message }) => `${ruleId} ${message.split(': ')[1]}`);
  };
}

/** The test site by another name. */
const at = (host: string): string => `http://${host}:${new URL(site.origin).port}/`;

test('a host whose name servers do not respond is looked up twice for all its links, on all pages', async () => {
  const check = linkCheck();
  const hosts = Array.from({ length: 20 }, (_, index) => `http://silent-${index}.test/`);
  const links = hosts.flatMap((host) => [`${host}a`, `${host}b`]);
  assert.deepEqual(
    await check('/1', links),
    links.map((link) => `name_lookup_timeout ${link}`),
  );
  assert.equal(lookups.length, 40);
  // None waits for another one.
  assert.equal(new Set(lookups.slice(0, hosts.length)).size, hosts.length);
  assert.deepEqual(await check('/2', [`${hosts[0]}c`]), [`name_lookup_timeout ${hosts[0]}c`]);
  assert.equal(lookups.length, 40);
  // A re-check looks it up again.
  await check('/2', [`${hosts[0]}c`]);
  assert.equal(timesLookedUp('silent-0.test'), 4);
});

test('other links do not wait for them', async () => {
  const silent = Array.from({ length: 20 }, (_, index) => `http://silent-${index}.test/`);
  site.requests.length = 0;
  const { promise: seen, resolve: see } = Promise.withResolvers<void>();
  const checking = linkCheck(seen)('/1', [...silent, '/ok', at('site.test')]);
  await until(() => site.requests.length === 2);
  see();
  await checking;
});

test('a link is not called broken because one lookup failed', async () => {
  const links = [at('broken-once.test'), at('broken-later.test')];
  assert.deepEqual(await linkCheck()('/1', links), []);
  assert.equal(timesLookedUp('broken-once.test'), 3);
  assert.equal(timesLookedUp('broken-later.test'), 4);
});

test('a redirect to such a host is a fault of the link, and other faults are reported as usual', async () => {
  const links = [`${site.origin}/to-silent`, 'http://missing.test/'];
  assert.deepEqual(await linkCheck()('/1', links), [`name_lookup_timeout ${links[0]}`, `name_not_found ${links[1]}`]);
});

test('a cancelled check ends at once, and another check that waits for the same host continues', async () => {
  const check = linkCheck();
  const cancel = new AbortController();
  const cancelled = check('/1', ['http://silent.test/'], cancel.signal).catch((error: unknown) => error);
  await delay(100);
  const other = check('/2', ['http://silent.test/other']);
  let isOtherEnded = false;
  void other.then(() => {
    isOtherEnded = true;
  });
  cancel.abort(new Error('Cancelled'));
  assert.match(String(await cancelled), /Cancelled/);
  assert.equal(isOtherEnded, false);
  assert.deepEqual(await other, ['name_lookup_timeout http://silent.test/other']);
});
