import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { FetchedPage } from '../../src/domain/fetched-page.ts';
import type { HttpClientOptions } from '../../src/egress/http-client.ts';
import { documentMaxBytes } from '../../src/egress/limits.ts';
import { bodyOf, client, errorOf, fetchOnce, html } from '../helpers/fetching.ts';
import { type Routes, startTestSite, type TestSite } from '../helpers/test-site.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');

describe('responses', () => {
  let site: TestSite;
  const httpClient = client();
  const get = (path: string) => fetchOnce(`${site.origin}${path}`, httpClient);
  const withType = (type: string, body: string | Uint8Array = html) => ({ headers: { 'content-type': type }, body });
  const redirect = (status: number, location?: string) => ({
    status,
    headers: location === undefined ? {} : { location },
  });
  const routes: Routes = {
    '/html': withType('text/html; charset=utf-8'),
    '/upper': withType('TEXT/HTML'),
    '/xhtml': withType('application/xhtml+xml'),
    '/empty': withType('text/html', ''),
    '/pdf': withType('application/pdf', Buffer.alloc(4_000_000)),
    '/json': withType('application/json', '{}'),
    '/xml': withType('application/xml', html),
    '/untyped-html': (_request, response) => void response.end(`\n ${html}`),
    '/untyped-text': (_request, response) => void response.end('plain text'),
    '/untyped-empty': (_request, response) => void response.end(),
    '/odd-type': withType('html'),
    '/204': { status: 204 },
    '/205': { status: 205 },
    '/201': { status: 201, body: html },
    '/404': { status: 404, body: html },
    '/404.png': { status: 404, headers: { 'content-type': 'image/png' }, body: 'x' },
    '/429': { status: 429, headers: { 'retry-after': '7' }, body: 'slow down' },
    '/500': { status: 500, body: 'x'.repeat(1_000_000) },
    '/304': { status: 304 },
    '/300': { status: 300, body: html },
    '/300-preferred': redirect(300, '/moved'),
    '/305': redirect(305, '/moved'),
    '/306': redirect(306, '/moved'),
    '/301': redirect(301, '/moved#fragment'),
    '/302': redirect(302, 'relative?a=1'),
    '/303': redirect(303, '//other.test'),
    '/307': redirect(307, 'https://other.test/a/../b'),
    '/308': redirect(308, Buffer.from('/über').toString('latin1')),
    '/301-none': redirect(301),
    '/301-empty': redirect(301, ''),
    '/301-mail': redirect(301, 'mailto:a@example.org'),
    '/301-bad': redirect(301, 'http://[bad/'),
    '/headers': { headers: { 'X-Two': ['a', 'b'], 'set-cookie': 'sid=1; Path=/' }, body: html },
    '/echo': (request, response) =>
      void response.setHeader('content-type', 'text/html').end(JSON.stringify(request.rawHeaders)),
  };
  before(async () => {
    site = await startTestSite(routes);
  });
  after(() => site.stop());

  it('that are HTML become documents with unchanged bytes', async () => {
    for (const path of ['/html', '/upper', '/xhtml', '/201']) assert.equal(bodyOf(await get(path)), html, path);
    assert.equal(bodyOf(await get('/empty')), '');
    const outcome = await get('/xhtml');
    assert.ok(outcome.kind === 'document');
    assert.deepEqual(
      [outcome.document.url, outcome.document.httpStatus, outcome.document.contentType],
      [`${site.origin}/xhtml`, 200, 'application/xhtml+xml'],
    );
  });

  it('without a usable type are examined', async () => {
    assert.match(bodyOf(await get('/untyped-html')), /Page/);
    assert.equal(bodyOf(await get('/odd-type')), html);
    for (const path of ['/untyped-text', '/untyped-empty']) {
      assert.deepEqual(
        await get(path),
        {
          kind: 'not_html',
          httpStatus: 200,
          contentType: '',
          failure: { code: 'not_html', params: { content_type: '' } },
        },
        path,
      );
    }
  });

  it('of other types are not downloaded', async () => {
    for (const [path, contentType] of [
      ['/pdf', 'application/pdf'],
      ['/json', 'application/json'],
      ['/xml', 'application/xml'],
    ]) {
      assert.deepEqual(await get(path ?? ''), {
        kind: 'not_html',
        httpStatus: 200,
        contentType,
        failure: { code: 'not_html', params: { content_type: contentType } },
      });
    }
  });

  it('that redirect return the absolute, normalised target', async () => {
    const expected = new Map([
      ['/300-preferred', `${site.origin}/moved`],
      ['/301', `${site.origin}/moved`],
      ['/302', `${site.origin}/relative?a=1`],
      ['/303', 'http://other.test/'],
      ['/307', 'https://other.test/b'],
      ['/308', `${site.origin}/%C3%BCber`],
      ['/301-empty', `${site.origin}/301-empty`],
    ]);
    for (const [path, location] of expected) {
      assert.deepEqual(await get(path), { kind: 'redirect', httpStatus: Number(path.slice(1, 4)), location }, path);
    }
  });

  it('that are not pages say so', async () => {
    const invalid = 'The redirect has no valid Location';
    const expected = new Map<string, [number, string]>([
      ['/204', [204, 'The page returned 204 without content']],
      ['/205', [205, 'The page returned 205 without content']],
      ['/404', [404, 'The page returned 404']],
      ['/404.png', [404, 'The page returned 404']],
      ['/500', [500, 'The page returned 500']],
      ['/304', [304, 'The page returned 304']],
      ['/300', [300, 'The page returned 300']],
      ['/305', [305, 'The page returned 305']],
      ['/306', [306, 'The page returned 306']],
      ['/301-none', [301, invalid]],
      ['/301-mail', [301, invalid]],
      ['/301-bad', [301, invalid]],
    ]);
    for (const [path, error] of expected) assert.deepEqual(errorOf(await get(path)), error, path);
  });

  it('that follow early hints are read correctly', async () => {
    const hinting = await startTestSite({
      '/': (_request, response) => {
        response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
        response.setHeader('content-type', 'text/html');
        response.end('<!DOCTYPE html><title>Hinted</title>');
      },
    });
    const outcome = await fetchOnce(`${hinting.origin}/`, httpClient);
    assert.equal(outcome.kind, 'document');
    await hinting.stop();
  });

  it('that are errors keep their headers', async () => {
    const outcome = await get('/429');
    assert.ok(outcome.kind === 'failed');
    assert.ok(outcome.headers?.some(([name, value]) => name === 'retry-after' && value === '7'));
    assert.equal(outcome.contentType, 'text/html');
  });

  it('have headers as pairs, with names in lower case', async () => {
    const outcome = await get('/headers');
    assert.ok(outcome.kind === 'document');
    const two = outcome.document.headers.filter(([name]) => name === 'x-two');
    assert.deepEqual(two, [
      ['x-two', 'a'],
      ['x-two', 'b'],
    ]);
  });

  it('are requested like a browser, with our user agent, without cookies or credentials', async () => {
    await get('/headers');
    const seen = bodyOf(await fetchOnce(`${site.origin.replace('//', '//user:secret@')}/echo`, httpClient));
    const headers = new Map(
      (JSON.parse(seen) as string[]).map((text, index, all) => [text.toLowerCase(), all[index + 1]]),
    );
    assert.equal(headers.get('user-agent'), 'sitewarden/1.2.3 (+https://contact.example/)');
    assert.match(headers.get('accept') ?? '', /^text\/html,application\/xhtml\+xml/);
    assert.match(headers.get('accept-language') ?? '', /^en/);
    assert.equal(headers.get('accept-encoding'), 'gzip, deflate, br, zstd');
    assert.equal(headers.has('cookie') || headers.has('authorization'), false);
  });
});

describe('compressed responses', () => {
  const text = `${html}${'<p>much the same'.repeat(5_000)}`;
  const bomb = Buffer.alloc(documentMaxBytes + 1, '<p>');
  const answer = (encoding: string, body: Uint8Array | string) => ({ headers: { 'content-encoding': encoding }, body });
  const routes: Routes = {
    '/gzip': answer('gzip', gzipSync(text)),
    '/x-gzip': answer('X-GZIP', gzipSync(text)),
    '/deflate': answer('deflate', deflateSync(text)),
    '/deflate-raw': answer('deflate', deflateRawSync(text)),
    '/br': answer('br', brotliCompressSync(text)),
    '/zstd': answer('zstd', zstdCompressSync(text)),
    '/twice': answer('gzip, br', brotliCompressSync(gzipSync(text))),
    '/identity': answer('identity', text),
    '/empty': answer('gzip', ''),
    '/bomb-gzip': answer('gzip', gzipSync(bomb)),
    '/bomb-br': answer('br', brotliCompressSync(bomb)),
    '/bomb-zstd': answer('zstd', zstdCompressSync(bomb)),
    '/bomb-deflate': answer('deflate', deflateSync(bomb)),
    '/bomb-nested': answer('gzip, gzip', gzipSync(gzipSync(bomb))),
    '/largest': answer('gzip', gzipSync(bomb.subarray(1))),
    '/lie': answer('gzip', text),
    '/truncated': answer('gzip', gzipSync(text).subarray(0, 100)),
    '/unknown': answer('compress', text),
    '/prototype': answer('constructor', text),
    '/many': answer('gzip, gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(gzipSync(text))))),
  };
  let site: TestSite;
  const httpClient = client();
  const get = (path: string) => fetchOnce(`${site.origin}${path}`, httpClient);
  before(async () => {
    site = await startTestSite(routes);
  });
  after(() => site.stop());

  it('are decompressed in every encoding', async () => {
    const paths = ['/gzip', '/x-gzip', '/deflate', '/deflate-raw', '/br', '/zstd', '/twice', '/identity'];
    for (const path of paths) assert.equal(bodyOf(await get(path)), text, path);
    assert.equal(bodyOf(await get('/empty')), '');
  });

  it('may be as large as the limit when decompressed, and no larger', async () => {
    assert.equal(bodyOf(await get('/largest')).length, documentMaxBytes);
    for (const path of ['/bomb-gzip', '/bomb-br', '/bomb-zstd', '/bomb-deflate', '/bomb-nested']) {
      assert.deepEqual(
        errorOf(await get(path)),
        [200, 'The page is larger than 10 MiB: split it into several pages'],
        path,
      );
    }
  });

  it('that cannot be decompressed say so', async () => {
    for (const path of ['/lie', '/truncated', '/unknown', '/prototype', '/many']) {
      const [status, message] = errorOf(await get(path));
      assert.deepEqual([status, message.split(':')[0]], [200, 'The page could not be decompressed'], path);
    }
  });
});

describe('https', () => {
  const key = fixture('key');
  async function over(cert: string, options: Partial<HttpClientOptions>, host = '127.0.0.1'): Promise<FetchedPage> {
    const site = await startTestSite({ '/': html }, { tls: { key, cert } });
    try {
      return await fetchOnce(`${site.origin.replace('127.0.0.1', host)}/`, client(options));
    } finally {
      await site.stop();
    }
  }

  it('works with a trusted certificate', async () => {
    assert.equal(bodyOf(await over(fixture('cert'), { ca: fixture('cert') })), html);
  });
  it('names what is wrong with a certificate', async () => {
    const untrusted =
      'The certificate of 127.0.0.1 is not from a trusted authority, or its chain is incomplete: the server must also send the intermediate certificates';
    assert.deepEqual(errorOf(await over(fixture('cert'), {})), [null, untrusted]);
    const expired = fixture('expired-cert');
    assert.deepEqual(errorOf(await over(expired, { ca: expired })), [
      null,
      'The certificate of 127.0.0.1 has expired: renew it',
    ]);
    const elsewhere = await over(fixture('cert'), { ca: fixture('cert') }, 'localhost');
    assert.deepEqual(errorOf(elsewhere), [
      null,
      'The certificate of the server is not valid for localhost: it must include that name',
    ]);
  });
  it('fails with a plain HTTP server', async () => {
    const site = await startTestSite({ '/': html });
    try {
      const outcome = await fetchOnce(`${site.origin.replace('http:', 'https:')}/`, client());
      assert.deepEqual(errorOf(outcome), [
        null,
        'A secure connection could not be established: check whether browsers open the page',
      ]);
    } finally {
      await site.stop();
    }
  });
});
