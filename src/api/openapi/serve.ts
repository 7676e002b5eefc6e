import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../links.ts';
import { openApiDocument } from './document.ts';

/** Where the API is described, for programs. */
export const DOCUMENTATION_PATHS = [`${API_PREFIX}/openapi.json`] as const;

/** Whoever can reach the service may read how it is used: no token needed. */
export function registerDocumentation(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  settings: AddressSettings,
): void {
  server.get(DOCUMENTATION_PATHS[0], async (request, reply) => {
    reply.header('access-control-allow-origin', '*').header('content-type', 'application/json');
    return reply.send(JSON.stringify(openApiDocument(endpoints, baseUrlFor(request, settings))));
  });
}
