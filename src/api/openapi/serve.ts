import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../links.ts';
import { sendPage } from '../page.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';

/** Where the API is described, for programs and for people. */
export const DOCUMENTATION_PATHS = [`${API_PREFIX}/openapi.json`, '/api/docs'] as const;

/** What people try who look for it. */
const FRONT_DOORS = ['/', '/api', '/api/docs/', API_PREFIX] as const;

/** Whoever can reach the service may read how it is used: no token needed. */
export function registerDocumentation(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  settings: AddressSettings,
): void {
  const document = remembered((base) => openApiDocument(endpoints, base));
  const json = remembered((base) => JSON.stringify(document(base)));
  const page = remembered((base) => docsPage(document(base)));
  server.get(DOCUMENTATION_PATHS[0], async (request, reply) => {
    reply.header('access-control-allow-origin', '*').header('content-type', 'application/json');
    return reply.send(json(baseUrlFor(request, settings)));
  });
  server.get(DOCUMENTATION_PATHS[1], async (request, reply) => {
    return sendPage(reply, page(baseUrlFor(request, settings)));
  });
  for (const path of FRONT_DOORS) {
    server.get(path, async (request, reply) => {
      return reply.redirect(`${baseUrlFor(request, settings)}${DOCUMENTATION_PATHS[1]}`);
    });
  }
}

/** Remembers the last value: nearly always the service is asked under one address. */
function remembered<Value>(make: (base: string) => Value): (base: string) => Value {
  let last: { readonly base: string; readonly value: Value } | null = null;
  return (base) => {
    if (last?.base !== base) last = { base, value: make(base) };
    return last.value;
  };
}
