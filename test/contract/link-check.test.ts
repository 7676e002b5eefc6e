import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { CheckInput } from '../../src/checks/check-engine.ts';
import { LINKS } from '../../src/checks/links/description.ts';
import { createLinkEngine } from '../../src/checks/links/engine.ts';
import type { LinkLimits } from '../../src/checks/links/limits.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient } from '../../src/egress/http-client.ts';
import { fetchesInFlightMax } from '../../src/spider/limits.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { PATIENT_HTTP, patienceMs } from '../helpers/patience.ts';
import { recordRequestStarts } from '../helpers/request-starts.ts';
import { startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** The link check on a site with links of all kinds. */

let site: TestSite;
/** A server that closes connections at once. */
const rude = createServer((socket) => socket.destroy());
const heads: string[] = [];
const COOKIE = 'token-of-a-session';

const redirect = (location: string, headers = {}) => ({ status: 302, headers: { location, ...headers } });

before(async () => {
  await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
  site = await startTestSite({
    '/ok': 'Fine',
    '/file.pdf': { headers: { 'content-type': 'application/pdf' }, body: 'x'.repeat(1_000_000) },
    '/gone': { status: 410 },
    '/broken': { status: 500 },
    '/secret': { status: 403 },
    '/moved': redirect('/ok'),
    '/moved-away': redirect('/missing'),
    '/choices': { status: 300 },
    '/choices-moved-away': { status: 300, headers: { location: '/missing' } },
    '/proxy': { status: 305, headers: { location: '/missing' } },
    '/a': redirect('/b'),
    '/b': redirect('/a'),
    '/with-cookie': redirect('/with-cookie', { 'set-cookie': 'a=b' }),
    '/nowhere': { status: 301 },
    '/long': (request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://x');
      response.writeHead(302, { location: `/long?n=${Number(searchParams.get('n')) + 1}` }).end();
    },
    '/get-only': (request, response) => {
      heads.push(request.method ?? '');
      response.writeHead(request.method === 'HEAD' ? 405 : 200).end();
    },
    '/slow': () => undefined,
    '/members': (request, response) => {
      response.writeHead(request.headers.cookie === `session=${COOKIE}` ? 200 : 401).end();
    },
  });
});
after(async () => {
  rude.close();
  await site.stop();
});

function engineWith(limits: Partial<LinkLimits> = {}, allowPrivateNetworks = true) {
  const httpClient = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks }),
    userAgent: 'sitewarden/test',
    limits: PATIENT_HTTP,
  });
  return createLinkEngine({ httpClient, limiters: createSharedLimiters(1_000), limits });
}

/** Type, rule and occurrences of the issues on a page with the links. */
async function check(
  links: readonly string[],
  {
    engine = engineWith(),
    page = '/page',
    signal = AbortSignal.timeout(patienceMs),
    ...more
  }: { engine?: ReturnType<typeof engineWith>; page?: string; signal?: AbortSignal } & Partial<CheckInput> = {},
): Promise<(string | null)[][]> {
  const body = Buffer.from(`<!DOCTYPE html><title>x</title>${links.map((href) => `<a href="${href}">x</a>`).join('')}`);
  const document = { url: site.origin + page, httpStatus: 200, contentType: 'text/html', headers: [], body };
  const input = { document, viewport: DEFAULT_VIEWPORT, cacheGroup: 'report', requestsPerSecond: 100, ...more };
  const answer = await engine.collect(input, signal);
  return LINKS.interpret(answer, document.url).issues.map(({ type, ruleId, message }) => [
    type,
    ruleId,
    message.replaceAll(site.origin, ''),
  ]);
}

const requestsOf = (path: string): number => site.requests.filter(({ url }) => url === path).length;

describe('the link check', () => {
  it('finds broken links, in document order, and no others', async () => {
    assert.deepEqual(
      await check([
        '/ok',
        '/missing',
        '/file.pdf',
        '/moved',
        '/moved-away',
        '/gone',
        '/broken',
        '/secret',
        '#top',
        'mailto:a@b.c',
      ]),
      [
        ['error', 'http_404', 'Link returns 404: /missing'],
        ['error', 'http_404', 'Link returns 404: /moved-away'],
        ['error', 'http_410', 'Link returns 410: /gone'],
        ['error', 'http_500', 'Link returns 500: /broken'],
        ['warning', 'http_403', 'Link returns 403: /secret'],
      ],
    );
  });

  it('follows a choice of pages only to the preferred one', async () => {
    const found = await check(['/choices', '/choices-moved-away', '/proxy']);
    assert.deepEqual(
      found.map(([, rule]) => rule),
      ['http_404'],
    );
  });

  it('follows redirects to their end, and finds endless ones', async () => {
    const found = await check(['/a', '/with-cookie', '/nowhere', '/long?n=0']);
    assert.deepEqual(
      found.map(([type, rule]) => [type, rule]),
      [
        ['error', 'redirect_loop'],
        ['warning', 'redirect_loop'],
        ['error', 'redirect_without_target'],
        ['error', 'too_many_redirects'],
      ],
    );
  });

  it('finds missing servers, and waits for none too long', async () => {
    const address = rude.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const links = ['http://127.0.0.1:9999/', 'http://nothing.invalid/', `http://127.0.0.1:${port}/`];
    const found = [
      ...(await check(links)),
      ...(await check(['/slow'], { engine: engineWith({ requestTimeoutMs: 500 }) })),
    ];
    assert.deepEqual(
      found.map(([type, rule]) => [type, rule]),
      [
        ['error', 'connection_refused'],
        ['error', 'name_not_found'],
        ['warning', 'connection_broken'],
        ['warning', 'request_timeout'],
      ],
    );
  });

  it('uses GET if HEAD is rejected', async () => {
    assert.deepEqual(await check(['/get-only']), []);
    assert.deepEqual(heads, ['HEAD', 'GET']);
  });

  it('requests a link once for all pages of a report, and again in a re-check', async () => {
    const engine = engineWith();
    const links = ['/ok?once'];
    await Promise.all(['/1', '/2', '/3'].map((page) => check(links, { engine, page })));
    assert.equal(requestsOf('/ok?once'), 1);
    await check(links, { engine, page: '/2' });
    assert.equal(requestsOf('/ok?once'), 2);
    await check(links, { engine, page: '/2', cacheGroup: 'another report' });
    assert.equal(requestsOf('/ok?once'), 3);
  });

  it('sends site credentials only to the site, and does not sign out', async () => {
    const access = { basicAuth: null, headers: {}, cookies: { session: COOKIE } };
    const signIn = { access, origins: new Set([site.origin]) };
    assert.deepEqual(await check(['/members', '/logout'], { signIn }), []);
    assert.equal(requestsOf('/logout'), 0);
    const elsewhere = { access, origins: new Set(['http://elsewhere.test']) };
    assert.deepEqual(await check(['/members'], { signIn: elsewhere }), [
      ['warning', 'http_401', 'Link returns 401: /members'],
    ]);
  });

  it('sends the user agent of the device, and without a device its own', async () => {
    const viewport = { ...DEFAULT_VIEWPORT, userAgent: 'Phone/1' };
    await check(['/ok?device'], { viewport });
    await check(['/ok?default']);
    const agents = site.requests.filter(({ url }) => /device|default/.test(url)).map(({ userAgent }) => userAgent);
    assert.deepEqual(agents, ['Phone/1 sitewarden/test', 'sitewarden/test']);
  });

  it('requests nothing that is excluded, or on a forbidden private network', async () => {
    assert.deepEqual(await check(['/missing?no'], { exclusions: ['/missing?'] }), []);
    assert.equal(requestsOf('/missing?no'), 0);
    const [refused] = await check(['/ok?private'], { engine: engineWith({}, false) });
    assert.deepEqual(refused?.slice(0, 2), ['warning', 'address_refused']);
    assert.equal(requestsOf('/ok?private'), 0);
  });

  it('lists the links that it did not check', async () => {
    const links = ['/missing', '/ok?1', '/ok?2'];
    const found = await check(links, { engine: engineWith({ linksPerPageMax: 1 }) });
    assert.deepEqual(
      found.map(([, rule]) => rule),
      ['http_404', 'not_checked'],
    );
    const inTime = await check(['/slow'], { engine: engineWith({ pageTimeoutMs: 300 }) });
    assert.deepEqual(
      inTime.map(([, rule]) => rule),
      ['not_checked'],
    );
  });

  it('respects the rate limit of the host', async (t) => {
    const from = performance.now();
    const begun = recordRequestStarts(t, site.origin);
    await check(['/ok?a', '/ok?b', '/ok?c', '/ok?d'], { requestsPerSecond: 2, cacheGroup: 'slow report' });
    const times = site.requests.filter(({ url, at }) => at > from && url.startsWith('/ok?')).map(({ at }) => at);
    assert.equal(times.length, 4);
    const tookMs = times.slice(2).map((at, index) => at - (begun[index] ?? Number.NaN));
    assert.ok(Math.min(...tookMs) >= 1_000, `3 requests in ${Math.min(...tookMs)} ms`);
  });

  it('does not wait for pages of the same host that never respond to another account', async () => {
    const engine = engineWith({ requestTimeoutMs: PATIENT_HTTP.requestTimeoutMs });
    const ending = new AbortController();
    const slow = Array.from({ length: 10 }, (_, index) => `/slow?${index}`);
    const busy = ['report', 'another report'].map((cacheGroup) =>
      check(slow, { engine, cacheGroup, payerId: 'busy', signal: ending.signal }),
    );
    const ended = Promise.allSettled(busy);
    const slowRequests = () => site.requests.filter(({ url }) => url.startsWith('/slow?')).length;
    await until(() => slowRequests() >= fetchesInFlightMax);
    const modest = { engine, cacheGroup: 'modest report', payerId: 'modest' };
    assert.deepEqual(await Promise.race([check(['/ok?fair', '/missing'], modest), ended]), [
      ['error', 'http_404', 'Link returns 404: /missing'],
    ]);
    assert.equal(slowRequests(), fetchesInFlightMax, 'none has ended, which would let the next one follow');
    ending.abort();
    await ended;
  });
});
