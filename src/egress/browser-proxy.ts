import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressGuard } from './address-guard.ts';
import { limitConnecting } from './connect-limit.ts';
import { connectTimeoutMs, keepAliveMs, proxyHeadMaxBytes, proxyIdleMs } from './limits.ts';
import { isOpenPort } from './ports.ts';

/** The door through which everything goes that pages load in the browser. */
export interface BrowserProxy {
  /** For the browser: `http://127.0.0.1:PORT`. */
  readonly address: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** What concerns one connection and not the message, with what is said to a proxy alone (RFC 9110, 7.6.1). */
const hopHeaders = new Set(
  'connection keep-alive proxy-connection proxy-authorization proxy-authenticate upgrade te trailer'.split(' '),
);

/**
 * Starts an HTTP proxy on loopback that judges every address when it is connected to, as the spider's client does, after
 * the look-up of the name and on every request: a name that changes its address gains nothing.
 *
 * A page must not see that there is a proxy, since what it sees it may show and have checked: where a connection is
 * refused or fails, the browser's own connection ends without an answer, as it would without a proxy.
 */
export async function startBrowserProxy(options: { readonly addressGuard: AddressGuard }): Promise<BrowserProxy> {
  const { addressGuard } = options;
  // As many connections as the browser wants: with fewer, pages with requests without end would hold back the others.
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: keepAliveMs });
  const tunnels = new Set<Duplex>();

  const server = createServer({ maxHeaderSize: proxyHeadMaxBytes, keepAliveTimeout: proxyIdleMs });
  server.on('request', (incoming, outgoing) => {
    const url = URL.parse(incoming.url ?? '');
    if (url?.protocol === 'http:' && mayReach(addressGuard, url.hostname, Number(url.port || 80))) {
      forward(incoming, outgoing, url, { agent, lookup: addressGuard.lookup });
    } else {
      incoming.socket.destroy();
    }
  });
  server.on('connect', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    const target = URL.parse(`http://${incoming.url ?? ''}`);
    // The port is always named in a CONNECT; the URL parser leaves 80 out.
    const port = Number(target?.port || 80);
    socket.on('error', () => socket.destroy());
    if (target === null || !mayReach(addressGuard, target.hostname, port)) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    tunnels.add(socket);
    socket.on('close', () => tunnels.delete(socket));
    tunnel(socket, head, { host: addressOf(target.hostname), port, lookup: addressGuard.lookup });
  });
  // A request that cannot be parsed gets no answer either.
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

/** Whether a connection may be tried. A name is judged when it has been looked up, by the look-up itself. */
function mayReach(addressGuard: AddressGuard, hostname: string, port: number): boolean {
  const host = addressOf(hostname);
  return isOpenPort(port) && (isIP(host) === 0 || !addressGuard.refuses(host));
}

/** The URL parser puts IPv6 addresses in brackets, and writes all spellings of an IPv4 address in one. */
function addressOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

interface Route {
  readonly agent: Agent;
  readonly lookup: LookupFunction;
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, url: URL, { agent, lookup }: Route): void {
  const fail = (): void => void incoming.socket.destroy();
  const onward = httpRequest({
    agent,
    lookup,
    host: addressOf(url.hostname),
    port: url.port || 80,
    path: url.pathname + url.search,
    method: incoming.method ?? 'GET',
    headers: endToEnd(incoming.rawHeaders),
    setHost: false,
    // Servers send heads that break the rules in small ways, and the browser takes them.
    insecureHTTPParser: true,
    maxHeaderSize: proxyHeadMaxBytes,
    timeout: proxyIdleMs,
  });
  onward.on('socket', (socket) => {
    // One that was kept is connected.
    if (socket.connecting) limitConnecting(socket, addressOf(url.hostname), 'connect', connectTimeoutMs);
  });
  onward.on('timeout', () => onward.destroy());
  onward.on('error', fail);
  onward.on('response', (answer) => {
    // A body that ends early must end early for the browser, too.
    answer.on('error', fail);
    try {
      outgoing.sendDate = false;
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', endToEnd(answer.rawHeaders));
      answer.pipe(outgoing);
    } catch {
      // Node.js sends on no head with control characters in it.
      onward.destroy();
      fail();
    }
  });
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
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
  const onward: Socket = connect(target);
  limitConnecting(onward, target.host, 'connect', connectTimeoutMs);
  let isOpen = false;
  onward.on('connect', () => {
    isOpen = true;
    onward.setTimeout(proxyIdleMs, () => onward.destroy());
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    onward.write(head);
    onward.pipe(socket);
    socket.pipe(onward);
  });
  onward.on('error', () => {
    if (isOpen) socket.destroy();
    else socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  onward.on('close', () => socket.end());
  socket.on('close', () => onward.destroy());
}
