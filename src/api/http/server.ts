import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import Fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { AppError, messageOf } from '../../platform/errors.ts';
import { documentation } from '../openapi/serve.ts';
import { deployHook } from '../resources/deploy-hook.ts';
import { ENDPOINTS } from '../resources/endpoints.ts';
import { health, type Ready } from '../resources/health.ts';
import { invitationPage } from '../resources/invitation-page.ts';
import { discardBody } from './body.ts';
import type { ApiParts, ApiSettings } from './endpoint.ts';
import { answerClientError, sendError } from './errors.ts';
import {
  bodyMaxBytes,
  closeGraceMs,
  compressedMinBytes,
  pathParameterMaxCharacters,
  requestTimeoutMs,
} from './limits.ts';
import { API_PREFIX, pathOf } from './links.ts';
import { recordRequests } from './request-log.ts';
import { serveEndpoints } from './serve-endpoints.ts';

export interface ServerSettings extends ApiSettings {
  /** Addresses and networks whose `X-Forwarded-*` headers count. */
  readonly trustedProxies: readonly string[];
}

export interface ServerParts extends ApiParts {
  readonly config: ServerSettings;
  readonly ready: Ready;
  /** Where the server's own numbers go and what `/metrics` shows; without it, one for this server alone. */
  readonly metrics?: Registry;
}

/**
 * The HTTP server, not listening yet.
 * @throws AppError invalid_configuration when a trusted proxy is no address
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const { db, config, log, ready, metrics = new Registry() } = parts;
  const server = newFastify(parts);
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.setErrorHandler(async (error, request, reply) => {
    // Fastify closes the connection after a body that it refused, since there may be more of it.
    if (reply.hasHeader('connection') && (await discardBody(request.raw))) reply.removeHeader('connection');
    return sendError(log, error, request, reply);
  });
  server.addHook('preClose', async () => {
    setTimeout(() => server.server.closeAllConnections(), closeGraceMs).unref();
  });
  recordRequests(server, log, metrics);
  compressAnswers(server);
  refuseUnknown(server);
  server.register(health, { ready, metrics });
  server.register(documentation, { endpoints: ENDPOINTS, settings: config });
  server.register(invitationPage, { db, settings: config });
  server.register(deployHook, parts);
  server.register(serveEndpoints, { ...parts, prefix: API_PREFIX });
  return server;
}

function newFastify({ config, log }: ServerParts): FastifyInstance {
  try {
    return Fastify({
      trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
      requestTimeout: requestTimeoutMs,
      bodyLimit: bodyMaxBytes,
      // Endpoints read the query from the URL as it came, since links repeat it.
      routerOptions: { maxParamLength: pathParameterMaxCharacters, querystringParser: () => ({}) },
      frameworkErrors: (error, request, reply) => sendError(log, error, request, reply),
      clientErrorHandler: answerClientError,
    });
  } catch (cause) {
    throw new AppError('invalid_configuration', `SITEWARDEN_TRUSTED_PROXIES: ${messageOf(cause)}`, { cause });
  }
}

/** Answers 404, or 405 where the path has other methods, before a body is read. Fastify itself knows only 404. */
function refuseUnknown(server: FastifyInstance): void {
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
    if (methods === undefined) throw new AppError('not_found', 'There is nothing at this URL.');
    reply.header('allow', methods);
    throw new AppError('method_not_allowed', `This URL accepts ${methods} only.`);
  });
}

/**
 * Compresses answers for clients that accept it (decision 0044). Requests stay uncompressed: a compressed body is refused.
 * A route that streams and must flush sets `compress: false`.
 */
function compressAnswers(server: FastifyInstance): void {
  server.register(compress, {
    encodings: ['br', 'gzip'],
    threshold: compressedMinBytes,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 6 },
    globalDecompression: false,
  });
  // The plugin says so of compressed answers only, and caches must know it of the others, too.
  server.addHook('onRequest', async (_request, reply) => void reply.header('vary', 'accept-encoding'));
}
