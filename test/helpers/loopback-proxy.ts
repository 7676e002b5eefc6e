import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackProxy {
  readonly address: string;
  /** Hosts outside of this machine that were requested. */
  readonly refused: Set<string>;
  stop(): Promise<void>;
}

/** An HTTP proxy that reaches 127.0.0.1 and refuses everything else, so that pages load alike everywhere. */
export async function startLoopbackProxy(): Promise<LoopbackProxy> {
  const refused = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const url = URL.parse(incoming.url ?? '');
    if (url === null || url.hostname !== '127.0.0.1') {
      refused.add(url?.hostname ?? '');
      outgoing.writeHead(502).end();
      return;
    }
    const onward = httpRequest(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    refused.add(incoming.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    refused,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
