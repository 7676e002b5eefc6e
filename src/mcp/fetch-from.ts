import type { FastifyInstance } from 'fastify';
import type { Fetch } from '../../packages/client/client.ts';
import { answerMaxBytes } from './limits.ts';

/** The origin of all requests in this process. The host name that a client uses for the service does not affect them. */
export const OWN_ORIGIN = 'http://127.0.0.1';

/**
 * Returns a `fetch` served by the given server, in this process, whether or not the server listens. Requests go through the same
 * checks as all others: tokens, plans, limits. It refuses URLs of other origins, streams of events, which do not end, and large
 * responses.
 */
export function fetchFrom(server: FastifyInstance): Fetch {
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const { origin, pathname, search } = new URL(url);
    if (origin !== OWN_ORIGIN) throw new TypeError(`Requests in this process are for ${OWN_ORIGIN} only`);
    const answer = await server.inject({
      method: method as 'GET',
      url: OWN_ORIGIN + pathname + search,
      headers: { ...headers, host: new URL(OWN_ORIGIN).host },
      payloadAsStream: true,
      ...(typeof body === 'string' && { payload: body }),
      ...(signal && { signal }),
    });
    const { statusCode: status, headers: given } = answer;
    try {
      const content = await contentOf(answer.stream(), String(given['content-type'] ?? ''));
      const named = Object.entries(given).map(([name, value]) => [name, [value].flat().join(', ')] as [string, string]);
      return new Response(status === 204 ? null : content, { status, headers: named });
    } finally {
      // Ends responses that are still being written, such as a stream that was refused.
      answer.raw.res.destroy();
    }
  };
}

async function contentOf(stream: AsyncIterable<Buffer>, type: string): Promise<Uint8Array<ArrayBuffer>> {
  if (type.startsWith('text/event-stream')) throw new TypeError('Event streams never end');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > answerMaxBytes) throw new TypeError(`The response is larger than ${answerMaxBytes} bytes`);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
