import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import type { Viewer } from '../../accounts/access.ts';
import type { LimitsOfPlans } from '../../accounts/plans.ts';
import { createRequestCharge, type RequestCharge } from '../../accounts/request-charge.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { AppError, messageOf, RetryLater } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import type { Database, Executor } from '../../store/database.ts';
import { answerTo, type ErrorAnswer, internalErrorAnswer } from '../jsonapi/errors.ts';
import { parseQuery } from '../jsonapi/query.ts';
import { bodyMaxBytes, closeGraceMs, pathParameterMaxCharacters, requestTimeoutMs } from '../limits.ts';
import { DOCUMENTATION_PATHS, registerDocumentation } from '../openapi/serve.ts';
import { answerDeployHook, DEPLOY_HOOK_PATH } from '../resources/deploy-hook.ts';
import { ENDPOINTS, methodFinder } from '../resources/endpoints.ts';
import { HEALTH_PATHS, type Ready, registerHealth } from '../resources/health.ts';
import { INVITATION_PATH, registerInvitationPage } from '../resources/invitation-page.ts';
import { authenticate, requireWriteScope } from './authenticate.ts';
import {
  BODY_MEDIA_TYPES,
  discardBody,
  incompleteBody,
  parseJson,
  payloadTooLarge,
  unsupportedMediaType,
} from './body.ts';
import { answerClientError } from './client-error.ts';
import { fromDatabase } from './database-unavailable.ts';
import { type Answer, type Endpoint, notFound } from './endpoint.ts';
import { deleteExpiredRows } from './expired-rows.ts';
import { answerOnce } from './idempotency.ts';
import { type AddressSettings, API_PREFIX, baseUrlFor, linksFrom } from './links.ts';
import { loggedPath } from './logged-path.ts';
import { measureRequests } from './request-metrics.ts';
import { type AdmitRequest, limitRequests } from './request-rate.ts';

export interface ServerSettings extends AddressSettings {
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  readonly trustedProxies: readonly string[];
  readonly planLimits: LimitsOfPlans;
  /** Requests per minute and token; null for no limit. */
  readonly apiRateLimit: number | null;
  /** When schedules run on their days, in milliseconds after 00:00 UTC. */
  readonly scheduleTimeMs: number;
  /** Where owners of sites learn who visits them; null for nowhere. */
  readonly contactUrl: string | null;
}

export interface ServerParts {
  readonly db: Database;
  readonly credentialStore: CredentialStore;
  readonly config: ServerSettings;
  readonly log: Logger;
  readonly ready: Ready;
  /** The system's when absent. */
  readonly clock?: Clock;
  /** Where the server's own numbers go and what `/metrics` shows; without it, one for this server alone. */
  readonly metrics?: Registry;
}

const MEDIA_TYPE = 'application/vnd.api+json';

/**
 * The HTTP server, not listening yet.
 * @throws AppError invalid_configuration when a trusted proxy is no address
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const server = newFastify(parts);
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  const metrics = parts.metrics ?? new Registry();
  measureRequests(server, metrics);
  server.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    parts.log.debug(
      { method, path: loggedPath(request.url), status: reply.statusCode, ms: reply.elapsedTime },
      'request',
    );
  });
  server.setErrorHandler(async (error, request, reply) => {
    // Fastify closes the connection behind a body that it refused, since there may be more of it.
    if (reply.hasHeader('connection') && (await discardBody(request.raw))) reply.removeHeader('connection');
    return sendError(parts.log, error, request, reply);
  });
  refuseUnknown(server);
  server.addHook('preClose', async () => {
    setTimeout(() => server.server.closeAllConnections(), closeGraceMs).unref();
  });
  deleteExpiredRows(server, parts.db, parts.log);
  const charge = createRequestCharge(parts.db, parts.log);
  server.addHook('onClose', () => charge.close());
  registerHealth(server, parts.ready, metrics);
  registerDocumentation(server, ENDPOINTS, parts.config);
  registerInvitationPage(server, parts.db, parts.config);
  server.decorateRequest('viewer', null);
  server.removeAllContentTypeParsers();
  const requests = { ...parts, admit: limitRequests(parts.config.apiRateLimit), charge };
  server.register((scope, _options, done) => {
    scope.addContentTypeParser(
      BODY_MEDIA_TYPES,
      { parseAs: 'buffer' },
      async (request: FastifyRequest, bytes: Buffer) => parseJson(request, bytes),
    );
    registerEndpoints(scope, requests, ({ body }) => body !== null);
    done();
  });
  server.register((scope, _options, done) => {
    // Whatever type a body is said to have, Fastify would refuse one that is no type at all.
    scope.addHook('onRequest', async ({ raw }) => void delete raw.headers['content-type']);
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
    registerEndpoints(scope, requests, ({ body }) => body === null);
    registerDeployHook(scope, parts);
    done();
  });
  return server;
}

/** Answers requests for what is not there before their bodies are looked at. */
function refuseUnknown(server: FastifyInstance): void {
  const findMethods = methodFinder(API_PREFIX, {
    ...Object.fromEntries([...HEALTH_PATHS, ...DOCUMENTATION_PATHS].map((path) => [path, ['GET', 'HEAD']])),
    [DEPLOY_HOOK_PATH]: ['POST'],
    [INVITATION_PATH]: ['GET', 'HEAD'],
  });
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const methods = findMethods(pathOf(request));
    if (methods === null) throw new AppError('not_found', 'There is nothing at this address.');
    reply.header('allow', methods.join(', '));
    throw new AppError('method_not_allowed', `This address answers to ${methods.join(', ')} only.`);
  });
}

function registerDeployHook(server: FastifyInstance, parts: ServerParts): void {
  server.post(routeOf(DEPLOY_HOOK_PATH), async (request, reply) => {
    const { schedule_id: scheduleId = '', hook_secret: secret = '' } = paramsOf(request);
    const links = linksFrom(baseUrlFor(request, parts.config));
    const { planLimits } = parts.config;
    const clock = parts.clock ?? systemClock;
    const hook = { db: parts.db, credentialStore: parts.credentialStore, clock, planLimits, links, scheduleId, secret };
    const answer = await answerDeployHook(hook);
    return send(reply, answer.status, answer.document);
  });
}

interface RequestParts extends ServerParts {
  readonly admit: AdmitRequest;
  readonly charge: RequestCharge;
}

/** The endpoints that the filter lets through. Who asks is known before a body is read. */
function registerEndpoints(
  server: FastifyInstance,
  parts: RequestParts,
  filter: (endpoint: Endpoint) => boolean,
): void {
  const rules = { limitsOfPlans: parts.config.planLimits, admit: parts.admit };
  for (const endpoint of ENDPOINTS.filter(filter)) {
    server.route({
      method: endpoint.method,
      url: API_PREFIX + routeOf(endpoint.path),
      onRequest: async (request) => {
        const viewer = await authenticate(parts.db, rules, request.headers.authorization);
        parts.charge.count(viewer.accountId);
        if (endpoint.method !== 'GET') requireWriteScope(viewer);
        request.setDecorator('viewer', viewer);
      },
      handler: (request, reply) => serve(parts, endpoint, request, reply),
    });
  }
}

/** A path in the contract's words, `/reports/{report_id}`, in Fastify's. */
function routeOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function newFastify({ config, log }: ServerParts): FastifyInstance {
  try {
    return Fastify({
      trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
      requestTimeout: requestTimeoutMs,
      bodyLimit: bodyMaxBytes,
      // Queries are read by the endpoints, from the URL as it came.
      routerOptions: { maxParamLength: pathParameterMaxCharacters, querystringParser: () => ({}) },
      frameworkErrors: (error, request, reply) => sendError(log, error, request, reply),
      clientErrorHandler: answerClientError,
    });
  } catch (cause) {
    throw new AppError('invalid_configuration', `SITEWARDEN_TRUSTED_PROXIES: ${messageOf(cause)}`, { cause });
  }
}

async function serve(
  parts: RequestParts,
  endpoint: Endpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const viewer = request.getDecorator<Viewer>('viewer');
  const baseUrl = baseUrlFor(request, parts.config);
  const run = (db: Executor): Promise<Answer> =>
    endpoint.run({
      db,
      credentialStore: parts.credentialStore,
      clock: parts.clock ?? systemClock,
      scheduleTimeMs: parts.config.scheduleTimeMs,
      contactUrl: parts.config.contactUrl,
      viewer,
      baseUrl,
      links: linksFrom(baseUrl),
      path: pathOf(request).slice(API_PREFIX.length),
      params: paramsOf(request),
      query: parseQuery(request.url),
      body: request.body,
    });
  const key = endpoint.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  const content = [endpoint.method, request.url, JSON.stringify(request.body) ?? ''];
  const once = { accountId: viewer.accountId, key: String(key), content };
  const answer = await (key === undefined ? run(parts.db) : answerOnce(parts.db, once, run));
  if (answer.location !== undefined) reply.header('location', answer.location);
  return send(reply, answer.status, answer.document);
}

/** Answers an error: what is meant for the client as it is, everything else as an id that the log explains. */
function sendError(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const passing = fromDatabase(error);
  if (passing !== undefined) log.warn({ ...told(request), reason: messageOf(error) }, 'request not served');
  const reason = passing ?? error;
  const answer = answerTo(reason) ?? answerTo(fromFramework(error)) ?? faultOfOurs(log, error, request);
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (reason instanceof RetryLater) reply.header('retry-after', reason.retryAfterSeconds);
  return send(reply, answer.status, answer.document);
}

/** What Fastify's own refusals are here, by their codes; the others are of an address or a head that cannot be read. */
const FRAMEWORK_ERRORS: Readonly<Record<string, () => AppError>> = {
  FST_ERR_MAX_PARAM_LENGTH: notFound,
  FST_ERR_CTP_BODY_TOO_LARGE: payloadTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  ECONNRESET: incompleteBody,
};

function fromFramework(error: unknown): AppError | undefined {
  if (!(error instanceof Error && 'statusCode' in error && 'code' in error)) return undefined;
  const { statusCode: status, code } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return (
    FRAMEWORK_ERRORS[String(code)]?.() ?? new AppError('invalid_request', 'The address of the request cannot be read.')
  );
}

function faultOfOurs(log: Logger, error: unknown, request: FastifyRequest): ErrorAnswer {
  const id = randomUUID();
  log.error({ err: error, id, ...told(request) }, 'request failed');
  return internalErrorAnswer(id);
}

/** JSON:API knows no `charset`; a buffer keeps Fastify from adding one. */
function send(reply: FastifyReply, status: number, document: object | null): FastifyReply {
  reply.code(status);
  if (document === null) return reply.send();
  return reply.header('content-type', MEDIA_TYPE).send(Buffer.from(JSON.stringify(document)));
}

function pathOf(request: FastifyRequest): string {
  return request.url.replace(/[?#].*/s, '');
}

/** What the log says of a request. */
function told(request: FastifyRequest): { readonly method: string; readonly path: string } {
  return { method: request.method, path: loggedPath(request.url) };
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.params ?? {})) params[name] = String(value);
  return params;
}
