import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';
import type { Logger } from '../../platform/logger.ts';

const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Logs and measures requests. Metrics are by route, so that the number of series stays small. Fastify's own request log is
 * off, because it contains whole URLs.
 */
export function recordRequests(server: FastifyInstance, log: Logger, registry: Registry): void {
  const durations = new Histogram({
    name: 'sitewarden_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  server.addHook('onResponse', async (request, { statusCode: status, elapsedTime: ms }) => {
    const route = request.routeOptions.url ?? 'unknown';
    const method = route === 'unknown' ? 'any' : request.method;
    durations.observe({ method, route, status }, ms / 1_000);
    log.debug({ ...loggedRequest(request), status, ms }, 'request');
  });
}

/** Returns what the log records of a request. */
export function loggedRequest({ method, url }: FastifyRequest): { readonly method: string; readonly path: string } {
  return { method, path: loggedPath(url) };
}

/** Matches the segments of the service's own paths. Longer ones may be a secret or part of one. */
const WORD = /^[\w.~-]{0,20}$/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Segments after these are secrets or parts of one. */
const BEFORE_SECRETS = /^(schedule|welcome|invitations|shared?|screenshots)$/i;
const AFTER_SECRETS = /^(fire|accept)$/i;

/**
 * Returns the path of a request without secrets, which not everyone who reads logs may know. Hides every segment that is not
 * a word of the service's own paths or an id, however it is encoded and whether or not the path exists. Omits the query.
 */
function loggedPath(url: string): string {
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
