import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import type { Logger } from '../../platform/logger.ts';
import { API_PREFIX, isRead } from './links.ts';

const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** An id that a proxy or a client has given to a request, such as a UUID or a trace id. */
const GIVEN_ID = /^[\w.:+/=-]{1,100}$/;

/** Who makes a request. Ids only, because names and email addresses do not belong in logs. */
export type Actor =
  | { readonly accountId: string; readonly tokenId: number }
  | { readonly accountId: string; readonly sessionId: number }
  | { readonly sharedReportId: string }
  | { readonly shareLinkId: string };

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if no one is authenticated. */
    actor: Actor | null;
  }
}

/** Returns the id of a request: the id in `X-Request-Id`, or a new id if that is absent or not in a known form. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : randomUUID();
}

/**
 * Logs and measures requests, and returns their ids in `X-Request-Id`. Metrics are by route, so that the number of series stays
 * small. Fastify's own request log is off, because it contains whole URLs.
 */
export function recordRequests(server: FastifyInstance, log: Logger, registry: Registry): void {
  const durations = new Histogram({
    name: 'sitewarden_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  server.decorateRequest('actor', null);
  server.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
  server.addHook('onResponse', async (request, { statusCode: status, elapsedTime }) => {
    const route = request.routeOptions.url ?? 'unknown';
    const method = route === 'unknown' ? 'any' : request.method;
    durations.observe({ method, route, status }, elapsedTime / 1_000);
    const level = isRoutine(request) ? 'debug' : 'info';
    const entry = { ...loggedRequest(request), status, ms: Math.round(elapsedTime), address: request.ip };
    log[level]({ ...entry, ...request.actor }, 'request');
  });
}

/**
 * Whether a request is for a probe, or a file of the dashboard or the documentation. Such requests are frequent and say little.
 */
function isRoutine(request: FastifyRequest): boolean {
  return isRead(request) && ![API_PREFIX, '/auth/'].some((prefix) => request.url.startsWith(prefix));
}

/** Returns the fields that every log line about a request has. */
export function loggedRequest({ id, method, url }: FastifyRequest) {
  return { requestId: id, method, path: loggedPath(url) };
}

/** Matches the segments of the service's own paths. Longer segments may be a secret or part of a secret. */
const WORD = /^[\w.~-]{0,20}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Segments after these are secrets or parts of secrets. */
const BEFORE_SECRETS = /^(schedule|welcome|invitations|shared?|latest|screenshots|thumbnails)$/i;
const AFTER_SECRETS = /^(fire|accept)$/i;

/**
 * Returns the path of a request without secrets, which not everyone who reads logs is allowed to know. Hides every segment that
 * is not a word of the service's own paths or an id, however it is encoded and whether or not the path exists. Omits the query.
 */
export function loggedPath(url: string): string {
  let mayBeSecret = false;
  const segments = url.replace(/[?#].*/s, '').split('/');
  const shown = segments.map((segment) => {
    const isHidden = mayBeSecret && segment !== '' && !AFTER_SECRETS.test(segment);
    mayBeSecret ||= BEFORE_SECRETS.test(decoded(segment));
    return UUID.test(segment) || (!isHidden && WORD.test(segment)) ? segment : '(hidden)';
  });
  return shown.join('/');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
