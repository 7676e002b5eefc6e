import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../http/endpoint.ts';
import { sendPage } from '../http/html-page.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../http/links.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';

/** Where the API is described, for programs and for people. */
const DOCUMENTATION_PATHS = [`${API_PREFIX}/openapi.json`, '/api/docs'] as const;

/** What people try who look for it. */
const FRONT_DOORS = ['/', '/api', '/api/docs/', API_PREFIX] as const;

/** Stands for the address that a request used, which needs no escaping in JSON or HTML. */
const PLACEHOLDER = 'http://base-url.invalid';

/** A plugin for the description of the API. Whoever can reach the service may read it, so it takes no token. */
export function documentation(
  server: FastifyInstance,
  { endpoints, settings }: { readonly endpoints: readonly Endpoint[]; readonly settings: AddressSettings },
  done: () => void,
): void {
  const document = once(() => openApiDocument(endpoints, settings.baseUrl ?? PLACEHOLDER));
  const json = once(() => JSON.stringify(document()).split(PLACEHOLDER));
  const page = once(() => docsPage(document()).split(PLACEHOLDER));
  server.get(DOCUMENTATION_PATHS[0], async (request, reply) => {
    reply.header('access-control-allow-origin', '*').header('content-type', 'application/json');
    return reply.send(json().join(baseUrlFor(request, settings)));
  });
  server.get(DOCUMENTATION_PATHS[1], async (request, reply) => {
    return sendPage(reply, page().join(baseUrlFor(request, settings)));
  });
  for (const path of FRONT_DOORS) {
    server.get(path, async (request, reply) => {
      return reply.redirect(`${baseUrlFor(request, settings)}${DOCUMENTATION_PATHS[1]}`);
    });
  }
  done();
}

/** Makes the value when it is first asked for: most processes never are. */
function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | null = null;
  return () => {
    value ??= make();
    return value;
  };
}
