import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { after } from 'node:test';
import { sentenceOf } from '../../src/domain/failures/failure.ts';
import type { FetchedPage } from '../../src/domain/fetched-page.ts';
import { createAddressGuard } from '../../src/egress/address-guard.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../src/egress/http-client.ts';
import { userAgent } from '../../src/egress/user-agent.ts';
import { createPageFetcher } from '../../src/spider/fetch-page.ts';
import { createRateLimiter } from '../../src/spider/rate-limiter.ts';

/** Shared parts of tests of single requests: a small page, and the means to fetch it. */
export const html = '<!DOCTYPE html><html lang=en><title>Page</title><p>Text';

/** The client for requests, closed with the test or file that calls this. */
export function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({
    addressGuard: createAddressGuard({ allowPrivateNetworks: true }),
    userAgent: userAgent('1.2.3', 'https://contact.example/'),
    ...options,
  });
  after(() => made.close());
  return made;
}

/** Fetches one URL as the spider does. */
export function fetchOnce(url: string, httpClient: HttpClient, signal?: AbortSignal): Promise<FetchedPage> {
  const limiter = createRateLimiter({ requestsPerSecond: 100 });
  return createPageFetcher({ httpClient })(url, { limiter, ...(signal === undefined ? {} : { signal }) });
}

export function errorOf(outcome: FetchedPage): [httpStatus: number | null, message: string] {
  assert.equal(outcome.kind, 'failed');
  return outcome.kind === 'failed' ? [outcome.httpStatus, sentenceOf(outcome.failure)] : [null, ''];
}

export function bodyOf(outcome: FetchedPage): string {
  assert.equal(outcome.kind, 'document', JSON.stringify(outcome));
  return outcome.kind === 'document' ? Buffer.from(outcome.document.body).toString() : '';
}

/** A server of bytes: each connection's first request is answered by the function. */
export async function withRawServer(
  answer: (socket: Socket, nth: number, head: string) => void,
  use: (origin: string, connections: () => number) => Promise<void>,
): Promise<void> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    const nth = connections;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', (head) => answer(socket, nth, String(head)));
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

/** Returns the origin of a server that does not listen any more. */
export async function closedOrigin(): Promise<string> {
  let closed = '';
  await withRawServer(
    () => {},
    async (origin) => {
      closed = origin;
    },
  );
  return closed;
}
