import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../src/egress/http-client.ts';
import { documentMaxBytes } from '../../src/egress/limits.ts';
import { userAgent } from '../../src/egress/user-agent.ts';
import { createPageFetcher, type FetchOutcome } from '../../src/spider/fetch-page.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';
import { type Routes, startTestSite, type TestSite } from '../helpers/test-site.ts';

const html = '<!DOCTYPE html><html lang=en><title>Page</title><p>Text';
const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');

/** Limits short enough for a test, the last far from the others, since those are kept to within a second or so. */
const limits = {
  connectTimeoutMs: 2_000,
  headersTimeoutMs: 300,
  bodyIdleTimeoutMs: 300,
  requestTimeoutMs: 3_000,
  connectionsPerOriginMax: 8,
};
const clients: HttpClient[] = [];

function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
    userAgent: userAgent('1.2.3', 'https://contact.example/'),
    ...options,
  });
  clients.push(made);
  return made;
}

function fetchOnce(url: string, httpClient: HttpClient, signal?: AbortSignal): Promise<FetchOutcome> {
  const limiter = createRateLimiter({ requestsPerSecond: 100 });
  return createPageFetcher({ httpClient })(url, { limiter, ...(signal === undefined ? {} : { signal }) });
}

function errorOf(outcome: FetchOutcome): [httpStatus: number | null, message: string] {
  assert.equal(outcome.kind, 'error');
  return outcome.kind === 'error' ? [outcome.httpStatus, outcome.message] : [null, ''];
}

function bodyOf(outcome: FetchOutcome): string {
  assert.equal(outcome.kind, 'document', JSON.stringify(outcome));
  return outcome.kind === 'document' ? Buffer.from(outcome.document.body).toString() : '';
}

/** A server of bytes: each connection's first request is answered by the function. */
async function withRawServer(
  answer: (socket: Socket, nth: number) => void,
  use: (origin: string, connections: () => number) => Promise<void>,
): Promise<void> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    const nth = connections;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket, nth));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    await use(`http://127.0.0.1:${port}`, () => connections);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

after(() => Promise.all(clients.map((made) => made.close())));

describe('answers', () => {
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

  it('that are HTML become documents, with their bytes as they are', async () => {
    for (const path of ['/html', '/upper', '/xhtml', '/201']) assert.equal(bodyOf(await get(path)), html, path);
    assert.equal(bodyOf(await get('/empty')), '');
    const outcome = await get('/xhtml');
    assert.ok(outcome.kind === 'document');
    assert.deepEqual(
      [outcome.document.url, outcome.document.httpStatus, outcome.document.contentType],
      [`${site.origin}/xhtml`, 200, 'application/xhtml+xml'],
    );
  });

  it('without a usable type are looked at', async () => {
    assert.match(bodyOf(await get('/untyped-html')), /Page/);
    assert.equal(bodyOf(await get('/odd-type')), html);
    for (const path of ['/untyped-text', '/untyped-empty']) {
      assert.deepEqual(await get(path), { kind: 'other', httpStatus: 200, contentType: '' }, path);
    }
  });

  it('of other types are not downloaded', async () => {
    for (const [path, contentType] of [
      ['/pdf', 'application/pdf'],
      ['/json', 'application/json'],
      ['/xml', 'application/xml'],
    ]) {
      assert.deepEqual(await get(path ?? ''), { kind: 'other', httpStatus: 200, contentType });
    }
  });

  it('that redirect give the absolute, normalised target', async () => {
    const expected = new Map([
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

  it('that are no page say so', async () => {
    const invalid = 'The redirect has no or an invalid Location';
    const expected = new Map<string, [number, string]>([
      ['/204', [204, 'The page answered 204 without content']],
      ['/205', [205, 'The page answered 205 without content']],
      ['/404', [404, 'The page answered 404']],
      ['/404.png', [404, 'The page answered 404']],
      ['/500', [500, 'The page answered 500']],
      ['/304', [304, 'The page answered 304']],
      ['/300', [300, 'The page answered 300']],
      ['/301-none', [301, invalid]],
      ['/301-mail', [301, invalid]],
      ['/301-bad', [301, invalid]],
    ]);
    for (const [path, error] of expected) assert.deepEqual(errorOf(await get(path)), error, path);
  });

  it('that are preceded by early hints are taken for themselves', async () => {
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
    assert.ok(outcome.kind === 'error');
    assert.ok(outcome.headers.some(([name, value]) => name === 'retry-after' && value === '7'));
    assert.equal(outcome.contentType, 'text/html');
  });

  it('give their headers in pairs, names in lower case', async () => {
    const outcome = await get('/headers');
    assert.ok(outcome.kind === 'document');
    const two = outcome.document.headers.filter(([name]) => name === 'x-two');
    assert.deepEqual(two, [
      ['x-two', 'a'],
      ['x-two', 'b'],
    ]);
  });

  it('are asked for as a browser asks, under our name, without cookies or credentials', async () => {
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

describe('compressed answers', () => {
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

  it('are unpacked, whatever the encoding', async () => {
    const paths = ['/gzip', '/x-gzip', '/deflate', '/deflate-raw', '/br', '/zstd', '/twice', '/identity'];
    for (const path of paths) assert.equal(bodyOf(await get(path)), text, path);
    assert.equal(bodyOf(await get('/empty')), '');
  });

  it('may be as large as the limit when unpacked, and not larger', async () => {
    assert.equal(bodyOf(await get('/largest')).length, documentMaxBytes);
    for (const path of ['/bomb-gzip', '/bomb-br', '/bomb-zstd', '/bomb-deflate', '/bomb-nested']) {
      assert.deepEqual(errorOf(await get(path)), [200, 'The page is larger than 10 MiB'], path);
    }
  });

  it('that cannot be unpacked say so', async () => {
    for (const path of ['/lie', '/truncated', '/unknown', '/prototype', '/many']) {
      const [status, message] = errorOf(await get(path));
      assert.deepEqual([status, message.split(':')[0]], [200, "The page's compression could not be undone"], path);
    }
  });
});

describe('servers that misbehave', () => {
  const httpClient = client({ limits });
  const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

  const cases: readonly [name: string, answer: (socket: Socket) => void, expected: [number | null, string]][] = [
    ['that never answers', () => {}, [null, 'The server did not answer within 0.3 seconds']],
    [
      'that stops in the middle',
      (socket) => void socket.write(`${page}Content-Length: 100\r\n\r\nhalf`),
      [200, 'The server stopped sending the page for 0.3 seconds'],
    ],
    [
      'that drips for ever',
      (socket) => {
        socket.write(`${page}\r\n`);
        const timer = setInterval(() => socket.write('x'), 50);
        socket.on('close', () => clearInterval(timer));
      },
      [200, 'The page did not arrive within 3 seconds'],
    ],
    [
      'that never ends',
      (socket) => {
        const chunk = Buffer.alloc(256 * 1_024, 'x');
        const pump = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', pump).write(`${page}\r\n`);
        pump();
      },
      [200, 'The page is larger than 10 MiB'],
    ],
    [
      'that announces too much',
      (socket) => void socket.write(`${page}Content-Length: ${documentMaxBytes + 1}\r\n\r\n`),
      [200, 'The page is larger than 10 MiB'],
    ],
    [
      'that announces more than it sends',
      (socket) => void socket.end(`${page}Content-Length: 100\r\n\r\nhalf`),
      [200, 'The server closed the connection before the page was complete'],
    ],
    [
      'that breaks off a chunked page',
      (socket) => void socket.end(`${page}Transfer-Encoding: chunked\r\n\r\n10\r\nhalf`),
      [200, 'The server closed the connection before the page was complete'],
    ],
    [
      'that resets the connection in the middle',
      (socket) =>
        void socket.write(`${page}Content-Length: 100\r\n\r\nhalf`, () =>
          setTimeout(() => socket.resetAndDestroy(), 50),
        ),
      [200, 'The server closed the connection before the page was complete'],
    ],
    [
      'with huge headers',
      (socket) => void socket.write(`${page}X: ${'y'.repeat(70_000)}\r\n\r\n`),
      [null, "The server's answer has too many or too long headers"],
    ],
    [
      'that does not speak HTTP',
      (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
      [null, "The server's answer is not valid HTTP"],
    ],
    [
      'with two lengths',
      (socket) => void socket.write(`${page}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`),
      [null, "The server's answer is not valid HTTP"],
    ],
  ];
  for (const [name, answer, expected] of cases) {
    it(`${name}: ${expected[1]}`, async () => {
      await withRawServer(answer, async (origin) => {
        assert.deepEqual(errorOf(await fetchOnce(`${origin}/`, httpClient)), expected);
      });
    });
  }

  it('that close without an answer are asked once more, and no more', async () => {
    for (const end of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const always = (socket: Socket) => void end(socket);
      await withRawServer(always, async (origin, connections) => {
        const outcome = await fetchOnce(`${origin}/`, httpClient);
        assert.deepEqual(errorOf(outcome), [null, 'The server closed the connection without an answer']);
        assert.equal(connections(), 2);
      });
      const atFirst = (socket: Socket, nth: number) =>
        void (nth === 1 ? end(socket) : socket.end(`${page}\r\n${html}`));
      await withRawServer(atFirst, async (origin, connections) => {
        assert.equal(bodyOf(await fetchOnce(`${origin}/`, httpClient)), html);
        assert.equal(connections(), 2);
      });
    }
  });

  it('take a slot of the rate limit for every try', async () => {
    const times: number[] = [];
    const closing = (socket: Socket) => {
      times.push(performance.now());
      socket.end();
    };
    await withRawServer(closing, async (origin) => {
      const limiter = createRateLimiter({ requestsPerSecond: 1 });
      await createPageFetcher({ httpClient })(`${origin}/`, { limiter });
      assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 1_000);
    });
  });

  it('that do not listen refuse the connection', async () => {
    let origin = '';
    await withRawServer(
      () => {},
      async (closed) => {
        origin = closed;
      },
    );
    assert.deepEqual(errorOf(await fetchOnce(`${origin}/`, httpClient)), [null, 'The connection was refused']);
  });

  it('that do not exist are named', async () => {
    // RFC 6761 keeps this name from ever resolving; a resolver may also be out of reach.
    const [status, message] = errorOf(await fetchOnce('http://nowhere.invalid/', client()));
    assert.equal(status, null);
    assert.match(message, /^The name nowhere\.invalid could not be (found|looked up)/);
  });

  it('are kept connected to after an answer nobody wanted', async () => {
    const ports = new Set<number | undefined>();
    const site = await startTestSite({
      '*': (request, response) => {
        ports.add(request.socket.remotePort);
        response.writeHead(404, { 'content-type': 'text/html' }).end('x'.repeat(1_000));
      },
    });
    try {
      for (let index = 0; index < 5; index += 1) {
        await fetchOnce(`${site.origin}/${index}`, httpClient);
        await sleep(20);
      }
      assert.equal(ports.size, 1);
    } finally {
      await site.stop();
    }
  });
});

describe('a cancelled fetch', () => {
  it('rejects with the reason, before, while connecting and in the middle, and leaves nothing behind', async () => {
    const httpClient = client({ limits: { connectionsPerOriginMax: 1 } });
    const reason = new Error('The report was deleted');
    let seen = 0;
    const counting = (socket: Socket) => {
      seen += 1;
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n');
    };
    await withRawServer(counting, async (origin) => {
      const isReason = (error: unknown) => error === reason;
      await assert.rejects(fetchOnce(`${origin}/`, httpClient, AbortSignal.abort(reason)), isReason);
      const first = new AbortController();
      const second = new AbortController();
      const running = fetchOnce(`${origin}/1`, httpClient, first.signal);
      const queued = fetchOnce(`${origin}/2`, httpClient, second.signal);
      await sleep(100);
      assert.equal(seen, 1);
      second.abort(reason);
      await assert.rejects(queued, isReason);
      first.abort(reason);
      await assert.rejects(running, isReason);
      await sleep(100);
      assert.equal(seen, 1, 'what was cancelled while it waited is never sent');
    });
  });
});

describe('https', () => {
  const key = fixture('key');
  async function over(cert: string, options: Partial<HttpClientOptions>, host = '127.0.0.1'): Promise<FetchOutcome> {
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
    const untrusted = 'The certificate of 127.0.0.1 is not from a trusted authority, or its chain is incomplete';
    assert.deepEqual(errorOf(await over(fixture('cert'), {})), [null, untrusted]);
    const expired = fixture('expired-cert');
    assert.deepEqual(errorOf(await over(expired, { ca: expired })), [null, 'The certificate of 127.0.0.1 has expired']);
    const elsewhere = await over(fixture('cert'), { ca: fixture('cert') }, 'localhost');
    assert.deepEqual(errorOf(elsewhere), [null, 'The certificate that the server showed is not for localhost']);
  });
  it('is not what a plain server speaks', async () => {
    const site = await startTestSite({ '/': html });
    try {
      const outcome = await fetchOnce(`${site.origin.replace('http:', 'https:')}/`, client());
      assert.deepEqual(errorOf(outcome), [null, 'A secure connection could not be made']);
    } finally {
      await site.stop();
    }
  });
});
