import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createResourceIdentifier } from '../../src/checks/a11y/loaded-resources.ts';
import { createResourceProbe } from '../../src/checks/a11y/resource-probe.ts';
import { DEFAULT_VIEWPORT } from '../../src/domain/check.ts';
import type { LoadedResource } from '../../src/domain/loaded-resource.ts';
import { createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { client } from '../helpers/fetching.ts';
import { siteWith, startTestSite, type TestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Which resources are requested again to find out whether they are still the same, and when they are. */

const LARGE = 4 * 1_024 * 1_024;
const httpClient = client({ limits: { bodyIdleTimeoutMs: 120_000 } });
let site: TestSite;
/** Large responses, none of which ends, and how many of them were aborted. */
let open = 0;
let aborted = 0;

before(async () => {
  site = await startTestSite({
    '*': (request, response) => {
      response.setHeader('content-type', 'image/png');
      response.setHeader('etag', '"1"');
      if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
      response.write(Buffer.alloc(LARGE));
      open += 1;
      response.on('close', () => {
        aborted += 1;
      });
    },
  });
});
after(() => site?.stop());
beforeEach(() => {
  site.requests.length = 0;
});

function imagesOf(name: string, count: number, etag = '"1"'): LoadedResource[] {
  return Array.from({ length: count }, (_, number) => ({
    ...{ url: `${site.origin}/${name}/${number}`, type: 'image', status: 200, content: 'the hash' },
    ...{ headers: { 'content-type': 'image/png' }, conditions: { 'if-none-match': etag } },
  }));
}

function newProbe() {
  const probe = createResourceProbe({ httpClient, limiters: createSharedLimiters(1_000) });
  return (
    resources: readonly LoadedResource[],
    cacheGroup: string,
    requestsPerSecond = 100,
    signal = new AbortController().signal,
  ) => {
    const use = { viewport: DEFAULT_VIEWPORT, cacheGroup, payerId: 'account', requestsPerSecond };
    return probe(resources, { ...use, url: `${site.origin}/` }, signal);
  };
}

test('a resource is requested once per report, even if the pages of many reports take turns', async () => {
  const probe = newProbe();
  const resources = imagesOf('shared', 3);
  for (let round = 0; round < 2; round += 1) {
    for (let report = 0; report < 60; report += 1) assert.deepEqual(await probe(resources, `${report}`), resources);
  }
  assert.equal(site.requests.length, 3 * 60);
});

test('a page that would wait in vain requests only what other pages load, too', async () => {
  const probe = newProbe();
  const shared = imagesOf('shared', 2);
  assert.equal(await probe([...shared, ...imagesOf('first', 50)], 'report', 2), null);
  assert.equal(site.requests.length, 0);
  assert.equal(await probe([...shared, ...imagesOf('second', 50)], 'report', 2), null);
  await until(async () => (await probe(shared, 'report', 2)) !== null);
  assert.deepEqual(site.requests.map(({ url }) => url).toSorted(), ['/shared/0', '/shared/1']);
});

test('requests of a check that was stopped end, and count as never sent', async () => {
  const probe = newProbe();
  const resources = imagesOf('stopped', 2);
  assert.equal(await probe(resources, 'report', 100, AbortSignal.abort()), null);
  assert.equal(site.requests.length, 0);
  assert.deepEqual(await probe(resources, 'report'), resources);
});

test('files that have become large share a limited memory', async () => {
  const probe = newProbe();
  assert.equal(await probe(imagesOf('large', 12, '"0"'), 'report'), null);
  // Half of them have filled it.
  await until(() => open === 12 && aborted >= 6);
});

interface Response {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}
const css = { type: 'text/css', body: 'p { color: #000 }' };
const svg = { type: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
const json = { type: 'application/json', body: '{"html": "<button></button>"}' };
const missing = { status: 404, type: 'text/html', body: '<p>404' };
const edited = { body: 'p { color: #eee }' };
const tagged = (etag: string) => ({ headers: { etag } });
const movedTo = (location: string) => ({ status: 302, headers: { location } });
/** Responses by the browser's type of the resource, later responses that are the same, and a different response. */
const VERSIONS: Readonly<Record<string, readonly [string, Response, readonly Partial<Response>[], Partial<Response>]>> =
  {
    'content without a validator': ['stylesheet', css, [{}], edited],
    'content with new validators': [
      'stylesheet',
      { ...css, ...tagged('"1"') },
      [tagged('"2"'), tagged('W/"3"')],
      { ...edited, ...tagged('"4"') },
    ],
    'content that must not be stored': [
      'stylesheet',
      { ...css, headers: { 'cache-control': 'no-store' } },
      [{}],
      edited,
    ],
    'a style sheet that is missing': ['stylesheet', missing, [{ body: '<p>Not found' }], { ...css, status: 200 }],
    'an image that is missing': ['image', missing, [{ body: '<p>Not found' }], { ...svg, status: 200 }],
    'data that are missing': ['fetch', { ...json, status: 404 }, [{}], { body: '{"html": "<input>"}' }],
    'a header that scripts can read': [
      'fetch',
      { ...json, headers: { 'x-total': '1' } },
      [{}],
      { headers: { 'x-total': '2' } },
    ],
    'a redirect': ['image', { ...svg, ...movedTo('/a.svg') }, [{ body: 'Moved' }], movedTo('/b.svg')],
  };

test('a resource is the same if what pages can know of it is the same, and only then', async (t) => {
  const probe = newProbe();
  const sent = new Map<string, Response>();
  const versions = await siteWith(t, {
    '*': (request, response) => {
      const { status = 200, type, body, headers } = sent.get(request.url ?? '') ?? assert.fail(request.url);
      response.writeHead(status, { 'content-type': type, ...headers }).end(body);
    },
  });
  let reports = 0;
  for (const [name, [type, first, same, different]] of Object.entries(VERSIONS)) {
    const path = `/${encodeURIComponent(name)}`;
    sent.set(path, first);
    const response = await fetch(versions.origin + path, { redirect: 'manual' });
    const body = Buffer.from(await response.arrayBuffer());
    const headers = Object.fromEntries(response.headers);
    const bodies = [{ bytes: body.length, read: async () => body }];
    const recorded = { type, status: response.status, headers, isRevalidated: false, bodies };
    const loaded = await createResourceIdentifier()(new Map([[versions.origin + path, recorded]]), 'report');
    assert.ok(loaded !== null, name);
    const isSame = async (now: Partial<Response>): Promise<boolean> => {
      sent.set(path, { ...first, ...now });
      reports += 1;
      return (await probe(loaded, `${reports}`)) !== null;
    };
    for (const now of same) assert.ok(await isSame(now), name);
    assert.ok(!(await isSame(different)), name);
  }
});
