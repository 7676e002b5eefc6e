import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { isBearer } from '../../platform/bearer.ts';
import { AppError } from '../../platform/errors.ts';
import { isLoopback } from '../../platform/loopback.ts';

export interface MetricsSettings {
  /** Null if metrics are served on the port of the service. */
  readonly metricsPort: number | null;
  /** Requests for metrics must have it; null for none. */
  readonly metricsToken: string | null;
  /** Null: the address of each request. */
  readonly baseUrl: string | null;
  readonly trustedProxies: readonly string[];
}

/** Plugin for `/metrics`, unless it has a port of its own. */
export function metrics(
  server: FastifyInstance,
  { registry, settings }: { readonly registry: Registry; readonly settings: MetricsSettings },
  done: () => void,
): void {
  if (settings.metricsPort === null) {
    server.get('/metrics', async (request, reply) => {
      requireAccess(request, settings);
      const text = await registry.metrics();
      return reply.header('content-type', registry.contentType).send(text);
    });
  }
  done();
}

/** @throws AppError unauthorized without the token; forbidden without a token if a proxy may have forwarded the request */
function requireAccess(request: FastifyRequest, settings: MetricsSettings): void {
  const { metricsToken } = settings;
  if (metricsToken === null) {
    if (isFromThisMachine(request, settings)) return;
    throw new AppError(
      'forbidden',
      'Other machines cannot read metrics. The operator can set SITEWARDEN_METRICS_TOKEN, or SITEWARDEN_METRICS_PORT to serve them on a separate port.',
    );
  }
  if (isBearer(request.headers.authorization, metricsToken)) return;
  throw new AppError('unauthorized', 'Send the value of SITEWARDEN_METRICS_TOKEN as a bearer token.');
}

/** Headers that proxies add. */
const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
];

/** Whether a program on this machine has sent a request itself. A proxy on this machine must not forward metrics to others. */
function isFromThisMachine(
  { headers, hostname, raw, socket }: FastifyRequest,
  { baseUrl, trustedProxies }: MetricsSettings,
): boolean {
  const isServedToOthers =
    trustedProxies.length > 0 || (baseUrl !== null && !isLoopback(URL.parse(baseUrl)?.hostname ?? ''));
  return (
    !isServedToOthers &&
    isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, '')) &&
    isLoopback(hostname) &&
    // The default of nginx for its upstream servers, which adds no header.
    raw.httpVersion !== '1.0' &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined)
  );
}
