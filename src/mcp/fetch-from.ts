import type { FastifyInstance } from 'fastify';
import type { Fetch } from '../../packages/client/client.ts';

/**
 * Returns a `fetch` that the given server answers, in this process and whether it listens or not. Requests pass every check that
 * others do: tokens, plans, limits.
 */
export function fetchFrom(server: FastifyInstance): Fetch {
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const answer = await server.inject({
      method: method as 'GET',
      url,
      headers,
      ...(typeof body === 'string' && { payload: body }),
      ...(signal && { signal }),
    });
    const { statusCode: status, headers: given, rawPayload } = answer;
    const named = Object.entries(given).map(([name, value]) => [name, [value].flat().join(', ')] as [string, string]);
    return new Response(status === 204 ? null : new Uint8Array(rawPayload), { status, headers: named });
  };
}
