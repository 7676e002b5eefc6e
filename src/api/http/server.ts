import type { Socket } from 'node:net';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { createPasswords } from '../../accounts/passwords.ts';
import { isCancelled, isTransient } from '../../platform/database-errors.ts';
import { AppError, codeOf, type ErrorCode, messageOf, RetryLater } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { shareAnswer } from '../../platform/share-answer.ts';
import { createCountExchange } from '../../store/counts/count-exchange.ts';
import { pausedSince } from '../../store/pause.ts';
import { screenshotImages } from '../attributes/screenshot-image.ts';
import { thumbnailImages } from '../attributes/thumbnail-image.ts';
import type { AuthSettings } from '../auth/auth-parts.ts';
import { createOidcProvider } from '../auth/oidc-provider.ts';
import { auth } from '../auth/routes.ts';
import { dashboard, sendApp } from '../dashboard/serve-dashboard.ts';
import { isBuilt, type MissingBuild, readWebBuild, type WebBuild } from '../dashboard/web-build.ts';
import { createReportFeeds } from '../events/report-feeds.ts';
import { MEDIA_TYPE } from '../jsonapi/document.ts';
import { answerTo, type ErrorAnswer, internalErrorAnswer } from '../jsonapi/errors.ts';
import { documentation } from '../openapi/docs-page.ts';
import { deployHook } from '../resources/deploy-hook.ts';
import { emailLinks } from '../resources/email-link.ts';
import { ENDPOINTS } from '../resources/endpoints.ts';
import { type InstallationSettings, installation, type Ready } from '../resources/installation.ts';
import { auditRequests } from './audit-requests.ts';
import { BODY_MEDIA_TYPES, discardBody, sendDocument } from './body.ts';
import type { ApiParts, ApiSettings } from './endpoint.ts';
import {
  bodyMaxBytes,
  closeGraceMs,
  compressedMinBytes,
  pathParameterMaxCharacters,
  RESPONSE_ENCODINGS,
  requestTimeoutMs,
  unavailableRetryS,
} from './limits.ts';
import { API_PREFIX, originForm, pathOf } from './links.ts';
import { type MetricsSettings, metrics } from './metrics-route.ts';
import { loggedRequest, recordRequests, requestIdOf } from './request-log.ts';
import { MINUTE_MS } from './request-rate.ts';
import { serveEndpoints } from './serve-endpoints.ts';
import { stopListening } from './stop-listening.ts';

export interface ServerSettings extends ApiSettings, AuthSettings, InstallationSettings, MetricsSettings {
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  readonly trustedProxies: readonly string[];
}

export interface ServerParts extends Omit<ApiParts, 'feeds' | 'requestCounts'> {
  readonly config: ServerSettings;
  readonly ready: Ready;
  /** Whether the process is about to stop, so that it gets no more requests. Default: no. */
  readonly isDraining?: () => boolean;
  /** Calls the listener with the ids of accounts and reports that changed; with null if any of them may have changed. */
  onChanges(listener: (ids: readonly string[] | null) => void): () => void;
  /** The built dashboard. Default: the one in this folder. */
  readonly web?: WebBuild | MissingBuild;
  /** The registry of the metrics that `/metrics` shows. Default: one for this server only. */
  readonly registry?: Registry;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Aborted when the server begins to close. From then on, it refuses requests of this process. */
    readonly closing: AbortSignal;
  }
}

/**
 * Creates the HTTP server, which does not listen yet.
 * @throws AppError invalid_configuration if a trusted proxy is not an address
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const { db, config, log, ready, web = readWebBuild(), registry = new Registry(), isDraining = () => false } = parts;
  const server = newFastify(parts);
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.setErrorHandler(async (error, request, reply) => {
    // Fastify closes the connection after refusing a body, since the rest of it may be unread.
    if (reply.hasHeader('connection') && (await discardBody(request.raw))) reply.removeHeader('connection');
    return sendError(log, error, request, reply);
  });
  const feeds = createReportFeeds(parts);
  const ignoreChanges = parts.onChanges((ids) => feeds.wake(ids));
  const closing = new AbortController();
  server.decorate('closing', closing.signal);
  server.addHook('preClose', async () => {
    closing.abort();
    await stopListening(server.server);
    ignoreChanges();
    feeds.close();
    setTimeout(() => server.server.closeAllConnections(), closeGraceMs).unref();
  });
  const requestCounts = createCountExchange({ db, log, withinMs: MINUTE_MS });
  server.addHook('onClose', () => requestCounts.close());
  recordRequests(server, log, registry);
  auditRequests(server, db, log);
  // Addresses of pages may contain a secret.
  server.addHook('onRequest', async (_request, reply) => void reply.header('referrer-policy', 'no-referrer'));
  compressAnswers(server);
  server.register(cookie);
  refuseUnknown(server, web);
  // Proxies keep connections open for later requests, but must now send those to another process.
  server.addHook('onSend', async (_request, reply) => void (isDraining() && reply.header('connection', 'close')));
  server.register(health, { ready, isDraining, isPaused: async () => (await pausedSince(db)) !== null });
  server.register(metrics, { registry, settings: config });
  server.register(dashboard, { web, db });
  server.register(documentation, { endpoints: ENDPOINTS, settings: config });
  server.register(installation, { db, ready, settings: config });
  const images = { db, box: parts.credentialStore.box, clock: parts.clock };
  server.register(screenshotImages, images);
  server.register(thumbnailImages, images);
  const [passwords, oidc, { box }] = [createPasswords(), createOidcProvider(config), parts.credentialStore];
  server.register(auth, { db, passwords, oidc, box, log, requestCounts, settings: config });
  server.register(deployHook, parts);
  server.register(emailLinks, parts);
  server.register(serveEndpoints, { ...parts, feeds, requestCounts, prefix: API_PREFIX });
  return server;
}

function newFastify({ config, log }: ServerParts): FastifyInstance {
  try {
    return Fastify({
      trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
      requestTimeout: requestTimeoutMs,
      bodyLimit: bodyMaxBytes,
      // While the server closes, requests on open connections are still served.
      return503OnClosing: false,
      // Endpoints parse the query themselves, since links repeat it as sent.
      routerOptions: { maxParamLength: pathParameterMaxCharacters, querystringParser: () => ({}) },
      genReqId: requestIdOf,
      rewriteUrl: ({ url = '/' }) => originForm(url),
      frameworkErrors: (error, request, reply) => sendError(log, error, request, reply),
      clientErrorHandler: answerClientError,
    });
  } catch (cause) {
    throw new AppError('invalid_configuration', `SITEWARDEN_TRUSTED_PROXIES: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Returns 404, or 405 if the path has other methods, before the body is read. Fastify itself only returns 404. Browsers that
 * request a page get the dashboard, which shows that the page does not exist.
 */
function refuseUnknown(server: FastifyInstance, web: WebBuild | MissingBuild): void {
  const methodsOf = new Map<string, { readonly pattern: URLPattern; readonly methods: string[] }>();
  server.addHook('onRoute', ({ url, method }) => {
    const route = methodsOf.getOrInsertComputed(url, () => ({
      pattern: new URLPattern({ pathname: url }),
      methods: [],
    }));
    route.methods.push(...[method].flat());
  });
  server.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const pathname = pathOf(request);
    const methods = methodsOf
      .values()
      .find(({ pattern }) => pattern.test({ pathname }))
      ?.methods.join(', ');
    if (methods === undefined && isBuilt(web) && looksForPage(request)) return sendApp(web, request, reply.code(404));
    if (methods === undefined) throw new AppError('not_found', 'This URL does not exist.');
    reply.header('allow', methods);
    throw new AppError('method_not_allowed', `This URL accepts ${methods} only.`);
  });
}

function looksForPage({ method, headers, url }: FastifyRequest): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && !url.startsWith('/api/');
}

/**
 * Compresses responses for clients that accept it (decision 0044). Compressed requests are refused. A route that streams and
 * must flush sets `compress: false`.
 */
function compressAnswers(server: FastifyInstance): void {
  server.register(compress, {
    encodings: RESPONSE_ENCODINGS.map(({ name }) => name),
    threshold: compressedMinBytes,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 5 },
    globalDecompression: false,
  });
  // The plugin sets this header only on compressed responses, but caches need it on all.
  server.addHook('onRequest', async (_request, reply) => void reply.header('vary', 'accept-encoding'));
}

/** Cached, because anyone can send such requests at any rate. */
const pausedKeptMs = 2_000;

/** Plugin for operators. Its routes take no token, and return plain JSON or text. */
function health(
  server: FastifyInstance,
  {
    ready,
    isDraining,
    isPaused,
  }: Pick<Required<ServerParts>, 'ready' | 'isDraining'> & { isPaused(): Promise<boolean> },
  done: () => void,
): void {
  const sharedIsPaused = shareAnswer(isPaused, pausedKeptMs);

  server.get('/health/live', async () => ({ status: 'live' }));

  server.get('/health/ready', async (_request, reply) => {
    // If the state of a part cannot be determined, the service is not ready. The part logs the reason.
    const parts = await ready().catch((): Awaited<ReturnType<Ready>> => ({}));
    if (isDraining()) return reply.code(503).send({ status: 'draining', parts });
    // A broken engine stops checks. The API and the dashboard still serve existing data, so a load balancer must not take them
    // offline.
    if (parts['database'] !== true) return reply.code(503).send({ status: 'not_ready', parts });
    const status = Object.values(parts).every(Boolean) ? 'ready' : 'degraded';
    return reply.send({ status, parts, paused: await sharedIsPaused() });
  });

  done();
}

/** Sends an error with the id of the request. Errors not meant for clients are logged, and sent as `internal`. */
function sendError(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isTransient(error)) log.warn({ ...loggedRequest(request), reason: messageOf(error) }, 'request not served');
  const reason = isTransient(error) ? databaseUnavailable(error) : error;
  const answer =
    answerTo(reason) ??
    answerTo(fromFramework(error, request.routeOptions.bodyLimit)) ??
    internalError(log, error, request);
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (reason instanceof RetryLater) reply.header('retry-after', reason.retryAfterSeconds);
  return sendDocument(reply, answer.status, { ...answer.document, meta: { request_id: request.id } });
}

/** Converts a transient database error, so that the client tries again later. */
function databaseUnavailable(cause: unknown): RetryLater {
  const detail = isCancelled(cause)
    ? 'The database took too long to process this request. Use a narrower filter or smaller pages, or try again later.'
    : 'The database is not available right now. Try again in a moment.';
  return new RetryLater('unavailable', detail, unavailableRetryS, { cause });
}

/** Errors of Fastify and Node.js that the client caused, by their codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, [code: ErrorCode, detail: string]>> = {
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'This resource does not exist.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    `The body must be of type ${BODY_MEDIA_TYPES.join(' or ')}, and not compressed.`,
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is incomplete.'],
  ECONNRESET: ['invalid_request', 'The body is incomplete.'],
};

/** @param bodyMaxBytes the limit of the route, which may have its own */
function fromFramework(error: unknown, bodyMaxBytes: number): AppError | undefined {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status < 400 || status > 499) return undefined;
  if (codeOf(error) === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('payload_too_large', `The body is larger than ${bodyMaxBytes} bytes.`);
  }
  const [code, detail] = FRAMEWORK_ERRORS[codeOf(error)] ?? ['invalid_request', 'The URL cannot be read.'];
  return new AppError(code, detail);
}

function internalError(log: Logger, error: unknown, request: FastifyRequest): ErrorAnswer {
  log.error({ err: error, ...loggedRequest(request) }, 'request failed');
  return internalErrorAnswer(request.id);
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Responds to a request that Node.js cannot parse, which never reaches Fastify, and closes the connection. */
function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const answer = answerTo(new AppError('invalid_request', 'The request cannot be read as HTTP.'));
  const statusLine = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  const errors = answer?.document.errors.map((item) => ({ ...item, status: statusLine.slice(0, 3) }));
  const body = JSON.stringify({ ...answer?.document, errors });
  const head = [`content-type: ${MEDIA_TYPE}`, `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  socket.end(`HTTP/1.1 ${statusLine}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
