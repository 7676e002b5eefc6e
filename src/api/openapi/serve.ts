import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../http/endpoint.ts';
import { sendPage } from '../http/html-page.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor } from '../http/links.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';
import { REPORT_SCHEMA_NAME, reportJsonSchema } from './report-schema.ts';

/** The OpenAPI document and the HTML reference. */
const DOCUMENTATION_PATHS = [`${API_PREFIX}/openapi.json`, '/api/docs'] as const;

/** Paths that redirect to the reference. */
const REDIRECTED_PATHS = ['/api', '/api/docs/', API_PREFIX] as const;

/** Placeholder for the base URL of each request. Needs no escaping in JSON and HTML. */
const PLACEHOLDER = 'http://base-url.invalid';

/** Plugin that serves the documentation of the API. It is public, so it takes no token. */
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
  const schema = once(reportJsonSchema);
  server.get(`${API_PREFIX}/schemas/${REPORT_SCHEMA_NAME}`, async (_request, reply) => {
    reply.header('access-control-allow-origin', '*').header('content-type', 'application/json');
    return reply.send(JSON.stringify(schema()));
  });
  server.get(DOCUMENTATION_PATHS[1], async (request, reply) => {
    return sendPage(reply, page().join(baseUrlFor(request, settings)));
  });
  for (const path of REDIRECTED_PATHS) {
    server.get(path, async (request, reply) => {
      return reply.redirect(`${baseUrlFor(request, settings)}${DOCUMENTATION_PATHS[1]}`);
    });
  }
  done();
}

/** Creates the value on first use. Most processes never need it. */
function once<Value extends object>(make: () => Value): () => Value {
  let value: Value | null = null;
  return () => {
    value ??= make();
    return value;
  };
}
