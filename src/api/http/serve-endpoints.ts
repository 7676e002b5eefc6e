import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../accounts/access.ts';
import type { Executor } from '../../store/database.ts';
import { parseQuery } from '../jsonapi/query.ts';
import { ENDPOINTS } from '../resources/endpoints.ts';
import { authenticateRequests, viewerOf } from './authenticate.ts';
import { ignoreBodies, readJsonBodies, sendDocument } from './body.ts';
import type { Answer, ApiParts, Endpoint } from './endpoint.ts';
import { sendEvents } from './events.ts';
import { sendFile } from './file.ts';
import { answerOnce } from './idempotency.ts';
import { API_PREFIX, baseUrlFor, linksFrom, pathOf, routeOf } from './links.ts';

/** Plugin that serves everything below `/api/v1`. */
export function serveEndpoints(server: FastifyInstance, parts: ApiParts, done: () => void): void {
  authenticateRequests(server, parts);
  const ignoresBody = ({ method, body }: Endpoint): boolean => method === 'POST' && body === null;
  readJsonBodies(server);
  addRoutes(server, parts, (endpoint) => !ignoresBody(endpoint));
  server.register((scope, _options, scopeDone) => {
    ignoreBodies(scope);
    addRoutes(scope, parts, ignoresBody);
    scopeDone();
  });
  done();
}

function addRoutes(scope: FastifyInstance, parts: ApiParts, filter: (endpoint: Endpoint) => boolean): void {
  for (const endpoint of ENDPOINTS.filter(filter)) {
    scope.route<{ Params: Record<string, string> }>({
      method: endpoint.method,
      url: routeOf(endpoint.path),
      // Compression would hold back events until there are many.
      ...(endpoint.answers.content === 'events' && { compress: false }),
      handler: (request, reply) => serve(parts, endpoint, request, reply),
    });
  }
}

async function serve(
  parts: ApiParts,
  endpoint: Endpoint,
  request: FastifyRequest<{ Params: Record<string, string> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { db, credentialStore, clock, feeds, exportReport, config } = parts;
  const viewer = request.getDecorator<Viewer>('viewer');
  const baseUrl = baseUrlFor(request, config);
  const run = (executor: Executor): Promise<Answer> =>
    endpoint.run({
      db: executor,
      credentialStore,
      clock,
      planLimits: config.planLimits,
      scheduleTimeMs: config.scheduleTimeMs,
      contactUrl: config.contactUrl,
      viewer,
      baseUrl,
      links: linksFrom(baseUrl),
      path: pathOf(request).slice(API_PREFIX.length),
      params: request.params,
      query: parseQuery(request.url),
      lastEventId: request.headers['last-event-id']?.toString(),
      feeds,
      exportReport,
      reauthenticate: () => viewerOf(parts, request),
      body: request.body,
    });
  const key = endpoint.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  const content = [endpoint.method, request.url, JSON.stringify(request.body) ?? ''];
  const once = { accountId: viewer.accountId, key: String(key), content };
  const answer = await (key === undefined ? run(db) : answerOnce(db, once, run));
  if (answer.stream !== undefined) return sendEvents(request, reply, answer.stream);
  if (answer.file !== undefined) return sendFile(parts.log, request, reply, answer.file);
  if (answer.location !== undefined) reply.header('location', answer.location);
  return sendDocument(reply, answer.status, answer.document);
}
