import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A message as a receiver of notifications got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages freely; a wrong guess fails the test.
  readonly body: any;
}

/** The response to the next requests: a status, headers, or none before `answer`. */
export interface Behaviour {
  status: number;
  headers: Readonly<Record<string, string>>;
  isSilent: boolean;
}

export interface Receiver {
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly received: Received[];
  readonly behaviour: Behaviour;
  /** Responds to the pending requests, and to the next ones. Resolves when the pending ones have responses or have ended. */
  answer(): Promise<void>;
  stop(): Promise<void>;
}

/** A server on a free port of 127.0.0.1 that receives what is posted to it. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const behaviour: Behaviour = { status: 204, headers: {}, isSilent: false };
  const waiting: (() => Promise<void>)[] = [];
  const server = createServer(async (request, response) => {
    const content = await text(request);
    received.push({ path: request.url ?? '', headers: request.headers, text: content, body: JSON.parse(content) });
    const answer = () =>
      new Promise<void>((resolve) => {
        if (response.destroyed) return resolve();
        response
          .once('close', resolve)
          .writeHead(behaviour.status, { ...behaviour.headers })
          .end();
      });
    if (behaviour.isSilent) waiting.push(answer);
    else void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    behaviour,
    async answer() {
      behaviour.isSilent = false;
      await Promise.all(waiting.splice(0).map((answer) => answer()));
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
