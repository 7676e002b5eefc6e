import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { type Attempt, sendWebhook } from '../../src/notifications/send-webhook.ts';
import { client, closedOrigin, withRawServer } from '../helpers/fetching.ts';
import { startTestSite } from '../helpers/test-site.ts';
import { until } from '../helpers/until.ts';

/** Receivers of webhooks that do not accept a message: what is reported, and that the connection ends. */

/** Short enough for a test. */
const limits = { connectTimeoutMs: 5_000, headersTimeoutMs: 2_000, bodyIdleTimeoutMs: 300, requestTimeoutMs: 6_000 };
const httpClient = client({ limits });
const noSignal = new AbortController().signal;

const post = (url: string, from = httpClient): Promise<Attempt> =>
  sendWebhook(
    { httpClient: from, clock: () => new Date() },
    { id: '7', url, secrets: [], body: '{"type":"test"}' },
    noSignal,
  );
const outcome = ({ error, httpStatus }: Attempt): string => `${httpStatus ?? ''} ${error?.code ?? 'delivered'}`.trim();

/** Writes as fast as the other side reads. */
function keepWriting(socket: Socket, first: string, chunk: Buffer): void {
  socket.write(first);
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

function drip(socket: Socket, first: string, text: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(text), 50);
  socket.on('close', () => clearInterval(timer));
}

describe('receivers of webhooks', () => {
  const chunk = Buffer.alloc(256 * 1_024, 'x');
  const cases: readonly [name: string, answer: (socket: Socket) => void, expected: string][] = [
    ['that never answer', () => {}, 'receiver_silent'],
    ['that drip a header', (socket) => drip(socket, 'HTTP/1.1 204 OK\r\nX: ', 'x'), 'receiver_silent'],
    ['that hang up', (socket) => void socket.destroy(), 'connection_broken'],
    ['that speak another protocol', (socket) => void socket.write('220 mail.example.com ESMTP\r\n'), 'invalid_answer'],
    ['with an endless header', (socket) => keepWriting(socket, 'HTTP/1.1 200 OK\r\nX: ', chunk), 'head_too_large'],
    ['with an endless answer', (socket) => keepWriting(socket, 'HTTP/1.1 200 OK\r\n\r\n', chunk), '200 delivered'],
    ['that drip an answer', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x'), '200 delivered'],
    [
      'that announce an answer which never comes',
      (socket) => void socket.write('HTTP/1.1 202 OK\r\nContent-Length: 9\r\n\r\n'),
      '202 delivered',
    ],
    [
      'that redirect',
      (socket) => void socket.end('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n'),
      '302 receiver_redirects',
    ],
    [
      'that are overloaded',
      (socket) => void socket.end('HTTP/1.1 429 Later\r\nRetry-After: 7\r\n\r\n'),
      '429 receiver_answered',
    ],
    ['that are broken', (socket) => void socket.end('HTTP/1.1 500 Oops\r\n\r\n'), '500 receiver_answered'],
    ['that are gone', (socket) => void socket.end('HTTP/1.1 410 Gone\r\n\r\n'), '410 receiver_gone'],
  ];
  for (const [name, answer, expected] of cases) {
    it(`${name}: ${expected}`, async () => {
      const open = new Set<Socket>();
      const watched = (socket: Socket): void => {
        open.add(socket);
        socket.on('close', () => open.delete(socket));
        answer(socket);
      };
      await withRawServer(watched, async (origin) => {
        assert.equal(outcome(await post(`${origin}/in`)), expected);
        await until(() => open.size === 0);
      });
    });
  }

  it('that do not exist, or are not trusted', async () => {
    const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
    const [key, cert, expired] = [fixture('key'), fixture('cert'), fixture('expired-cert')];
    const untrusted = await startTestSite({ '*': 'Fine' }, { tls: { key, cert } });
    const late = await startTestSite({ '*': 'Fine' }, { tls: { key, cert: expired } });
    const plain = await startTestSite({ '*': 'Fine' });
    try {
      assert.equal(outcome(await post(`${await closedOrigin()}/in`)), 'connection_refused');
      assert.equal(outcome(await post('http://no-such-host.invalid/in')), 'name_not_found');
      assert.equal(outcome(await post('http://127.0.0.1:25/in')), 'port_refused');
      assert.equal(outcome(await post(`${untrusted.origin}/in`)), 'certificate_untrusted');
      const trusting = client({ limits, ca: expired });
      assert.equal(outcome(await post(`${late.origin}/in`, trusting)), 'certificate_expired');
      assert.equal(outcome(await post(`${plain.origin.replace('http:', 'https:')}/in`)), 'tls_failed');
      assert.deepEqual(
        [untrusted, late, plain].flatMap(({ requests }) => requests),
        [],
      );
    } finally {
      for (const site of [untrusted, late, plain]) await site.stop();
    }
  });
});
