import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { documentMaxBytes } from '../../src/egress/limits.ts';
import { createPageFetcher } from '../../src/spider/fetch-page.ts';
import { fetchesInFlightMax } from '../../src/spider/limits.ts';
import { createMemoryBudget } from '../../src/spider/memory-budget.ts';
import { createRateLimiter, createSharedLimiters } from '../../src/spider/rate-limiter.ts';
import { bodyOf, client, closedOrigin, errorOf, fetchOnce, html, withRawServer } from '../helpers/fetching.ts';
import { PATIENT_HTTP } from '../helpers/patience.ts';
import { recordRequestStarts } from '../helpers/request-starts.ts';
import { startTestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Each case that reaches a limit has a short one. */
const limits = { ...PATIENT_HTTP, connectionsPerOriginMax: 8 };

describe('servers that misbehave', () => {
  const httpClient = client({ limits });
  const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';

  const cases: readonly [
    name: string,
    answer: (socket: Socket) => void,
    expected: [number | null, string],
    short?: Partial<typeof limits>,
  ][] = [
    [
      'that never answers',
      () => {},
      [null, 'The server did not respond within 0.3 seconds: if the server is overloaded, lower rate_limit'],
      { headersTimeoutMs: 300 },
    ],
    [
      'that stops in the middle',
      (socket) => void socket.write(`${page}Content-Length: 100\r\n\r\nhalf`),
      [
        200,
        'The server sent no data for 0.3 seconds in the middle of the page: if the server is overloaded, lower rate_limit',
      ],
      { bodyIdleTimeoutMs: 300 },
    ],
    [
      'that drips for ever',
      (socket) => {
        socket.write(`${page}\r\n`);
        const timer = setInterval(() => socket.write('x'), 50);
        socket.on('close', () => clearInterval(timer));
      },
      [200, 'The page did not arrive within 3 seconds: if the server is overloaded, lower rate_limit'],
      { requestTimeoutMs: 3_000 },
    ],
    [
      'that never ends',
      (socket) => {
        const chunk = Buffer.alloc(256 * 1_024, 'x');
        const keepWriting = () => {
          while (!socket.destroyed && socket.write(chunk));
        };
        socket.on('drain', keepWriting).write(`${page}\r\n`);
        keepWriting();
      },
      [200, 'The page is larger than 10 MiB: split it into several pages'],
    ],
    [
      'that announces too much',
      (socket) => void socket.write(`${page}Content-Length: ${documentMaxBytes + 1}\r\n\r\n`),
      [200, 'The page is larger than 10 MiB: split it into several pages'],
    ],
    [
      'that announces more than it sends',
      (socket) => void socket.end(`${page}Content-Length: 100\r\n\r\nhalf`),
      [
        200,
        'The server closed the connection before the page was complete: see its log, and check that Content-Length is right',
      ],
    ],
    [
      'that breaks off a chunked page',
      (socket) => void socket.end(`${page}Transfer-Encoding: chunked\r\n\r\n10\r\nhalf`),
      [
        200,
        'The server closed the connection before the page was complete: see its log, and check that Content-Length is right',
      ],
    ],
    [
      'that resets the connection in the middle',
      (socket) =>
        void socket.write(`${page}Content-Length: 100\r\n\r\nhalf`, () =>
          setTimeout(() => socket.resetAndDestroy(), 50),
        ),
      [
        200,
        'The server closed the connection before the page was complete: see its log, and check that Content-Length is right',
      ],
    ],
    [
      'with huge headers',
      (socket) => void socket.write(`${page}X: ${'y'.repeat(70_000)}\r\n\r\n`),
      [null, 'The headers of the response are too large: shorten or remove some, such as cookies'],
    ],
    [
      'that does not speak HTTP',
      (socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'),
      [null, "The server's response is not valid HTTP: `curl -v` may show what is wrong with it"],
    ],
    [
      'with two lengths',
      (socket) => void socket.write(`${page}Content-Length: 1\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab`),
      [null, "The server's response is not valid HTTP: `curl -v` may show what is wrong with it"],
    ],
  ];
  for (const [name, answer, expected, short] of cases) {
    it(`${name}: ${expected[1]}`, async () => {
      const withLimits = client({ limits: { ...limits, ...short } });
      await withRawServer(answer, async (origin) => {
        assert.deepEqual(errorOf(await fetchOnce(`${origin}/`, withLimits)), expected);
      });
    });
  }

  it('that close without a response are requested once more', async () => {
    for (const end of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const always = (socket: Socket) => void end(socket);
      await withRawServer(always, async (origin, connections) => {
        const outcome = await fetchOnce(`${origin}/`, httpClient);
        assert.deepEqual(errorOf(outcome), [
          null,
          'The server closed the connection without a response: see its log, or the log of a firewall in front of it',
        ]);
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

  it('take a slot of the rate limit for every attempt', async (t) => {
    const times: number[] = [];
    const closing = (socket: Socket) => {
      times.push(performance.now());
      socket.end();
    };
    await withRawServer(closing, async (origin) => {
      const begun = recordRequestStarts(t, origin);
      const limiter = createRateLimiter({ requestsPerSecond: 1 });
      await createPageFetcher({ httpClient })(`${origin}/`, { limiter });
      assert.ok((times[1] ?? 0) - (begun[0] ?? Number.NaN) >= 1_000);
    });
  });

  it('that do not listen refuse the connection', async () => {
    assert.deepEqual(errorOf(await fetchOnce(`${await closedOrigin()}/`, httpClient)), [
      null,
      'The connection was refused: nothing listens on that port, or a firewall rejects the connection',
    ]);
  });

  it('that do not exist are reported by name', async () => {
    // RFC 6761 keeps this name from ever resolving; a resolver may also be out of reach.
    const [status, message] = errorOf(await fetchOnce('http://nowhere.invalid/', client()));
    assert.equal(status, null);
    assert.match(message, /^The host name nowhere\.invalid (was not found|could not be resolved)/);
  });

  it('keep their connection after an unneeded response', async () => {
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

  it('hold their slot until the rest of an unneeded body has arrived', async () => {
    const sockets: Socket[] = [];
    const dripping = (socket: Socket): void => {
      sockets.push(socket);
      socket.write(
        'HTTP/1.1 404 Not Found\r\nContent-Type: image/png\r\nContent-Length: 2\r\nConnection: close\r\n\r\na',
      );
    };
    await withRawServer(dripping, async (origin) => {
      const limiter = createSharedLimiters(100).forHost('127.0.0.1', 'account');
      const inTurn = { ...createRateLimiter({ requestsPerSecond: 100 }), acquire: limiter.acquire };
      const fetchPage = createPageFetcher({ httpClient: client() });
      const fetched = Array.from({ length: fetchesInFlightMax }, () => fetchPage(`${origin}/`, { limiter: inTurn }));
      for (const outcome of await Promise.all(fetched)) assert.equal(outcome.kind, 'failed');
      const next = fetchPage(`${origin}/`, { limiter: inTurn });
      // Without a slot to wait for, it would be sent before the response to this one.
      await client().request({ url: `${origin}/`, headers: {}, bodyMaxBytes: 0, wantsBody: () => false });
      assert.equal(sockets.length, fetchesInFlightMax + 1);
      sockets[0]?.write('b');
      assert.equal((await next).kind, 'failed');
    });
  });
});

describe('a cancelled fetch', () => {
  it('rejects with the reason, before, during and after connecting, and leaves nothing', async () => {
    const httpClient = client({ limits: { connectionsPerOriginMax: 1 } });
    const reason = new Error('The report was deleted');
    const seen: string[] = [];
    const halfAnswering = (socket: Socket, _nth: number, head: string) => {
      seen.push(head.split(' ')[1] ?? '');
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n');
    };
    await withRawServer(halfAnswering, async (origin) => {
      const isReason = (error: unknown) => error === reason;
      await assert.rejects(fetchOnce(`${origin}/`, httpClient, AbortSignal.abort(reason)), isReason);
      const first = new AbortController();
      const second = new AbortController();
      const running = fetchOnce(`${origin}/1`, httpClient, first.signal);
      const queued = fetchOnce(`${origin}/2`, httpClient, second.signal);
      await until(() => seen.length === 1);
      second.abort(reason);
      await assert.rejects(queued, isReason);
      first.abort(reason);
      await assert.rejects(running, isReason);
      const third = new AbortController();
      const next = fetchOnce(`${origin}/3`, httpClient, third.signal);
      await until(() => seen.length === 2);
      assert.deepEqual(seen, ['/1', '/3'], 'a request that was cancelled while it waited is never sent');
      third.abort(reason);
      await assert.rejects(next, isReason);
    });
  });

  it('takes no memory budget for decompressed data', async () => {
    const packed = gzipSync(Buffer.alloc(1_000_000, html));
    const site = await startTestSite({ '/': { headers: { 'content-encoding': 'gzip' }, body: packed } });
    const bytesMax = 2_000_000;
    const budget = createMemoryBudget({ bytesMax }).forCrawl('1');
    const aborting = new AbortController();
    const { signal } = aborting;
    const lease = budget.reserve(signal);
    const reason = new Error('The report was deleted');
    let transferred = 0;
    let takenLate = 0;
    try {
      const request = client().request({
        url: `${site.origin}/`,
        headers: {},
        bodyMaxBytes: bytesMax,
        signal,
        wantsBody: () => true,
        takeRoom(bytes) {
          if (signal.aborted) takenLate += bytes;
          transferred += bytes;
          // The end of the body is read together with its last bytes, so that by then it is being unpacked.
          if (transferred === packed.byteLength) setImmediate(() => aborting.abort(reason));
          return lease.take(bytes);
        },
      });
      await assert.rejects(request, (error) => error === reason);
      assert.equal(transferred, packed.byteLength);
      assert.equal(takenLate, 0);
      assert.ok(budget.reserve(new AbortController().signal).take(bytesMax), 'all memory is given back');
    } finally {
      await site.stop();
    }
  });
});
