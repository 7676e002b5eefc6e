import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { streamsMax } from '../../src/api/events/limits.ts';
import { fetchFrom, OWN_ORIGIN } from '../../src/mcp/fetch-from.ts';
import { answerMaxBytes } from '../../src/mcp/limits.ts';
import { serveMcp } from '../../src/mcp/serve-mcp.ts';
import { startApi, type TestApi, testServer } from '../helpers/api.ts';
import { until } from '../helpers/until.ts';

/** What a client can send in place of the name of the service. */
const HOSTILE = (port: string): readonly string[] => [
  `127.0.0.1:${port}/api/v1/installation?`,
  `127.0.0.1:${port}/api/v1/events?`,
  `127.0.0.1:${port}/health/live#`,
  `127.0.0.1:${port}?`,
  `127.0.0.1:${port}\\api`,
  `a@127.0.0.1:${port}`,
  `127.0.0.1:${port}@evil.example`,
  '127.0.0.1 evil.example',
  '127.0.0.1:99999',
  '127.0.0.1:-1',
  '127.0.0.1:',
  '127.0.0.1:http',
  '999.999.999.999',
  '::1',
  '[::1',
  '[:::]',
  '[::1]/api/v1/installation?',
  'evil.example, 127.0.0.1',
  'b\u00fccher.example',
  '%31%32%37.0.0.1',
  'a"><script>',
  '',
];

describe('the name by which a client calls the service', () => {
  let api: TestApi;
  let server: ReturnType<typeof testServer>;
  let port: string;
  before(async () => {
    api = await startApi();
    server = testServer(api.db, {});
    const config = { baseUrl: null, host: '127.0.0.1', port: 0, trustedProxies: [] };
    server.register(serveMcp, { config, log: pino({ level: 'silent' }) });
    ({ port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' })));
  });
  after(async () => {
    await server?.close();
    await api?.close();
  });

  /** Sends a request as it is, and returns the whole response. */
  const talk = (head: string, headers: readonly string[], body = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const length =
        body === '' ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
      const lines = [`${head} HTTP/1.1`, ...headers, ...length, 'connection: close'];
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'utf8')),
      );
      let text = '';
      socket.setEncoding('utf8');
      socket.on('data', (data: string) => {
        text += data;
        // Event streams never end.
        if (text.includes('text/event-stream')) socket.end();
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
    });
  const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);
  const bearer = (): string => `authorization: Bearer ${api.people.owner}`;
  const PING = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const accept = 'accept: application/json, text/event-stream';

  test('gives no access to agents without a token', async () => {
    for (const host of HOSTILE(port)) {
      const text = await talk('POST /mcp', [`host: ${host}`, accept], PING);
      assert.match(text, /^HTTP\/1\.1 40[0134] /, `${host}: ${text}`);
      assert.doesNotMatch(text, /check_site/);
    }
    const own = [`host: 127.0.0.1:${port}`, accept];
    assert.equal(statusOf(await talk('POST /mcp', own, PING)), 401);
    assert.match(await talk('POST /mcp', [...own, bearer()], PING), /^HTTP\/1\.1 200 .*check_site/s);
    assert.match(await talk('POST /mcp', ['host: [::1]:81', accept, bearer()], PING), /^HTTP\/1\.1 200 /);
    const twice = [`host: 127.0.0.1:${port}`, `host: 127.0.0.1:${port}/api/v1/installation?`, accept];
    assert.match(await talk('POST /mcp', twice, PING), /^HTTP\/1\.1 40[01] /);
    assert.match(await talk('POST /mcp', twice.toReversed(), PING), /^HTTP\/1\.1 40[013] /);
  });

  test('opens no event streams', async () => {
    for (let count = 0; count < streamsMax; count += 1) {
      const host = `host: 127.0.0.1:${port}/api/v1/events?`;
      assert.equal(statusOf(await talk('POST /mcp', [host, accept, bearer()], PING)), 403);
    }
    assert.equal(statusOf(await talk('GET /api/v1/events', ['host: x', bearer()])), 200);
  });

  test('is in links only if it is a host', async () => {
    const links = new Set<string>();
    for (const [index, host] of HOSTILE(port).entries()) {
      // All have the same base URL, so each long document is requested once.
      const long = ['/api/v1/openapi.json', '/api/docs', '/docs'].slice(index, index + 1);
      for (const path of ['/api/v1/reports', ...long]) {
        const text = await talk(`GET ${path}`, [`host: ${host}`, bearer()]);
        assert.ok(statusOf(text) < 500, `${host} ${path}: ${text}`);
        assert.ok(!text.includes('evil.example') && !text.includes('><script>'), `${host} ${path}`);
        const self = /"self":"(http[^"]*)\/api/.exec(text)?.[1];
        if (self !== undefined) links.add(self);
      }
      const changed = await talk('POST /auth/sign-in', [`host: ${host}`, 'origin: http://evil.example'], '{}');
      assert.ok(statusOf(changed) < 500, `${host}: ${changed}`);
    }
    assert.deepEqual([...links], ['http://127.0.0.1:0']);
  });

  test('is ignored in the target of a request', async () => {
    const target = 'http://evil.example/api/v1/reports?page[size]=1';
    const text = await talk(`GET ${target}`, [`host: 127.0.0.1:${port}`, bearer()]);
    assert.match(text, new RegExp(`"self":"http://127\\.0\\.0\\.1:${port}/api/v1/reports\\?`));
    for (const odd of ['http://evil.example', 'http://evil.example?x', 'HTTP://a@b:99999/api/v1/reports', '//evil/x']) {
      assert.ok(statusOf(await talk(`GET ${odd}`, ['host: x', bearer()])) < 500, odd);
    }
  });
});

describe('requests in the process', () => {
  const serving = (): FastifyInstance => {
    const server = Fastify();
    server.get('/small', async () => ({ small: true }));
    server.get('/large', async (_, reply) => reply.send(Buffer.alloc(answerMaxBytes + 1)));
    return server;
  };

  test('are for one origin, and their responses end', async () => {
    const server = serving();
    let ended = 0;
    server.get('/events', (_: FastifyRequest, reply: FastifyReply) => {
      reply.raw.once('close', () => {
        ended += 1;
      });
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
    });
    const send = fetchFrom(server);
    assert.deepEqual(await (await send(`${OWN_ORIGIN}/small`, {})).json(), { small: true });
    await assert.rejects(send('http://127.0.0.1:3000/small', {}), /only$/);
    await assert.rejects(send('http://evil.example/small', {}), /only$/);
    await assert.rejects(send(`${OWN_ORIGIN}/events`, {}), /streams never end/);
    await assert.rejects(send(`${OWN_ORIGIN}/large`, {}), /larger than \d+ bytes/);
    await until(() => ended === 1);
    await server.close();
  });

  test('end when they are cancelled', async () => {
    const server = serving();
    const cancelled = new AbortController();
    let ended = 0;
    server.get('/slow', (_: FastifyRequest, reply: FastifyReply) => {
      reply.raw.once('close', () => {
        ended += 1;
      });
      reply.hijack();
      cancelled.abort();
    });
    await assert.rejects(fetchFrom(server)(`${OWN_ORIGIN}/slow`, { signal: cancelled.signal }));
    await until(() => ended === 1);
    await server.close();
  });
});
