import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.ts';
import { isAllowedPort } from './address-guard.ts';
import { limitConnectTime } from './connect-limit.ts';
import { connectTimeoutMs, keepAliveMs, proxyHeadMaxBytes, proxyIdleMs } from './limits.ts';

/** The HTTP proxy for all traffic of the browser. */
export interface BrowserProxy {
  /** `http://127.0.0.1:PORT` */
  readonly address: string;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Hop-by-hop headers and headers for proxies (RFC 9110, section 7.6.1). */
const hopHeaders = new Set(
  'connection keep-alive proxy-connection proxy-authorization proxy-authenticate upgrade te trailer'.split(' '),
);

/**
 * Starts an HTTP proxy on loopback. Like the spider's client, it checks each address after the name lookup, when it connects, so
 * that a name that changes its address cannot bypass the guard.
 *
 * Pages must not notice the proxy, because their content, and with it the result of the check, could depend on it. So when a
 * connection is refused or fails, the proxy closes the browser's connection without a response.
 */
export async function startBrowserProxy(options: { readonly addressGuard: AddressGuard }): Promise<BrowserProxy> {
  const { addressGuard } = options;
  // Does not limit connections: otherwise pages with endless requests could block others.
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: keepAliveMs });
  const tunnels = new Set<Duplex>();

  const server = createServer({ maxHeaderSize: proxyHeadMaxBytes, keepAliveTimeout: proxyIdleMs });
  server.on('request', (incoming, outgoing) => {
    const url = URL.parse(incoming.url ?? '');
    if (url?.protocol === 'http:' && mayConnect(addressGuard, url.hostname, Number(url.port || 80))) {
      forward(incoming, outgoing, url, { agent, lookup: addressGuard.lookup });
    } else {
      incoming.socket.destroy();
    }
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = URL.parse(`http://${incoming.url ?? ''}`);
    // CONNECT requires a port, and the URL parser omits 80.
    const port = Number(target?.port || 80);
    socket.on('error', () => socket.destroy());
    if (target === null || !mayConnect(addressGuard, target.hostname, port)) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    tunnels.add(socket);
    socket.on('close', () => tunnels.delete(socket));
    tunnel(socket, head, { host: addressOf(target.hostname), port, lookup: addressGuard.lookup });
  });
  // Requests that cannot be parsed get no response either.
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    address: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      for (const socket of tunnels) socket.destroy();
      agent.destroy();
      await closed;
    },
  };
}

/** Returns whether a connection is allowed. For names, the guard's `lookup` checks the addresses. */
function mayConnect(addressGuard: AddressGuard, hostname: string, port: number): boolean {
  const host = addressOf(hostname);
  return isAllowedPort(port) && (isIP(host) === 0 || !addressGuard.refuses(host));
}

/** Removes the brackets of an IPv6 address. IPv4 addresses are normalized by the URL parser. */
function addressOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

interface Route {
  readonly agent: Agent;
  readonly lookup: LookupFunction;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, url: URL, { agent, lookup }: Route): void {
  const fail = (): void => void incoming.socket.destroy();
  const upstream = httpRequest({
    agent,
    lookup,
    host: addressOf(url.hostname),
    port: url.port || 80,
    path: url.pathname + url.search,
    method: incoming.method ?? 'GET',
    headers: endToEnd(incoming.rawHeaders),
    setHost: false,
    // Browsers accept slightly invalid headers.
    insecureHTTPParser: true,
    maxHeaderSize: proxyHeadMaxBytes,
    timeout: proxyIdleMs,
  });
  upstream.on('socket', (socket) => {
    // A reused socket is already connected.
    if (socket.connecting) limitConnectTime(socket, addressOf(url.hostname), 'connect', connectTimeoutMs);
  });
  upstream.on('timeout', () => upstream.destroy());
  upstream.on('error', fail);
  upstream.on('response', (response) => {
    // A truncated body must be truncated for the browser, too.
    response.on('error', fail);
    try {
      outgoing.sendDate = false;
      outgoing.writeHead(response.statusCode ?? 502, response.statusMessage ?? '', endToEnd(response.rawHeaders));
      response.pipe(outgoing);
    } catch {
      // Node.js rejects headers with control characters.
      upstream.destroy();
      fail();
    }
  });
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

function endToEnd(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!hopHeaders.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

function tunnel(socket: Duplex, head: Buffer, target: { host: string; port: number; lookup: LookupFunction }): void {
  const upstream: Socket = connect(target);
  limitConnectTime(upstream, target.host, 'connect', connectTimeoutMs);
  let isOpen = false;
  upstream.on('connect', () => {
    isOpen = true;
    upstream.setTimeout(proxyIdleMs, () => upstream.destroy());
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    upstream.write(head);
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  upstream.on('error', () => {
    if (isOpen) socket.destroy();
    else socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  upstream.on('close', () => socket.end());
  socket.on('close', () => upstream.destroy());
}
