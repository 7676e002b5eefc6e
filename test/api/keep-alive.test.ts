import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { discardTimeoutMs } from '../../src/api/http/limits.ts';
import { startApi, type TestApi } from '../helpers/api.ts';
import { until } from '../helpers/until.ts';

const LIMIT = 1_048_576;
/** Twice this is less than the server gives any request, which would end the connection for another reason. */
const WAIT_MS = 25_000;

describe('keep-alive connections', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api?.close());

  /** A raw connection that keeps everything it receives. */
  const open = () => {
    const { hostname, port } = new URL(api.origin);
    const socket = connect(Number(port), hostname);
    const state = { text: '', isClosed: false };
    socket.setEncoding('latin1').on('data', (text) => {
      state.text += text;
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        state.isClosed = true;
      });
    const statuses = () => [...state.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    const answered = (count: number) =>
      until(() => statuses().length >= count || state.isClosed, { timeoutMs: WAIT_MS });
    return { socket, state, statuses, answered };
  };
  const head = (method: string, path: string, more: readonly string[], token = api.people.owner) =>
    [
      `${method} ${path} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      ...more,
      '\r\n',
    ].join('\r\n');
  const NEXT = 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n';

  /**
   * Sends a body and, on the same connection, another request. Returns both statuses.
   * @param tries how often it may start again because a busy machine took longer for the body than the server waits
   */
  const sendTwice = async (requestHead: string, body: string, tries = 20): Promise<unknown[]> => {
    const { socket, state, statuses, answered } = open();
    const startedAt = performance.now();
    socket.write(requestHead);
    socket.write(body);
    await answered(1);
    if (tries > 0 && performance.now() - startedAt >= discardTimeoutMs) {
      socket.destroy();
      return sendTwice(requestHead, body, tries - 1);
    }
    assert.doesNotMatch(state.text, /^connection: close/im);
    socket.write(NEXT);
    await answered(2);
    socket.destroy();
    return statuses();
  };
  const chunked = (size: number) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n0\r\n\r\n`;

  for (const size of [LIMIT + 1, 1_200_000, 10_000_000]) {
    test(`a body of ${size} bytes is rejected, and the next request is answered`, async () => {
      const post = (more: string) => head('POST', '/api/v1/reports', [more]);
      assert.deepEqual(await sendTwice(post(`content-length: ${size}`), 'x'.repeat(size)), ['413', '200']);
      assert.deepEqual(await sendTwice(post('transfer-encoding: chunked'), chunked(size)), ['413', '200']);
    });
  }

  test('requests after any other response that leaves the body unread are answered', async () => {
    const hook = '/schedule/00000000-0000-4000-8000-000000000000/x/fire';
    const cases: [string, string, string, string?][] = [
      ['401', 'POST', '/api/v1/reports', 'nonsense'],
      ['403', 'POST', '/api/v1/reports', api.people.reader],
      ['404', 'POST', '/nowhere'],
      ['405', 'PUT', '/api/v1/reports'],
      ['413', 'POST', hook],
      ['413', 'POST', '/api/v1/invitations/x/accept'],
      ['200', 'GET', '/api/v1/reports'],
      ['404', 'DELETE', '/api/v1/reports/00000000-0000-4000-8000-000000000000'],
    ];
    for (const [status, method, path, token] of cases) {
      for (const [more, body] of [
        [`content-length: 1200000`, 'x'.repeat(1_200_000)],
        ['transfer-encoding: chunked', chunked(1_200_000)],
      ] as const) {
        assert.deepEqual(
          await sendTwice(head(method, path, [more], token), body),
          [status, '200'],
          `${method} ${path}`,
        );
      }
    }
    for (const [body, status] of [
      ['{nonsense', '400'],
      ['{}', '400'],
    ] as const) {
      const post = head('POST', '/api/v1/reports', [`content-length: ${body.length}`]);
      assert.deepEqual(await sendTwice(post, body), [status, '200']);
    }
  });

  test('a body that takes too long or stalls is answered, and the connection is closed', async () => {
    const slow = open();
    slow.socket.write(head('POST', '/api/v1/reports', [`content-length: ${LIMIT + 1}`]));
    slow.socket.write('x');
    await slow.answered(1);
    assert.deepEqual(slow.statuses(), ['413']);
    assert.match(slow.state.text, /^connection: close/im);
    await until(() => slow.state.isClosed, { timeoutMs: WAIT_MS });

    const endless = open();
    endless.socket.write(head('POST', '/api/v1/reports', ['transfer-encoding: chunked']));
    const chunk = `100000\r\n${'x'.repeat(1_048_576)}\r\n`;
    await until(
      () => {
        endless.socket.write(chunk);
        return endless.state.isClosed;
      },
      { timeoutMs: WAIT_MS, pollMs: 1 },
    );
  });

  test('a slow body within the limits is read to its end', async () => {
    const { socket, statuses, answered } = open();
    const body = JSON.stringify({ data: { attributes: { starting_url: 'https://example.com/' } } });
    socket.write(head('POST', '/api/v1/reports', [`content-length: ${body.length}`]));
    for (const character of body) {
      socket.write(character);
      await delay(1);
    }
    await answered(1);
    socket.write(NEXT);
    await answered(2);
    assert.deepEqual(statuses(), ['201', '200']);
    socket.destroy();
  });

  test('connections that wait to be accepted when the server closes get their responses', async () => {
    const waiting = Array.from({ length: 20 }, () => open());
    for (const { socket } of waiting) socket.write(NEXT);
    // Now the system has opened them all, and the server has accepted none.
    await new Promise((resolve) => process.nextTick(resolve));
    await api.close();
    for (const { answered } of waiting) await answered(1);
    assert.deepEqual(
      waiting.map(({ statuses }) => statuses()),
      Array(20).fill(['200']),
    );
  });
});
