import type { FastifyInstance } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts and times the answers, by route and not by address, so that the number of series stays small. */
export function measureRequests(server: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'sitewarden_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_SECONDS,
    registers: [registry],
  });
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    const method = route === 'unknown' ? 'any' : request.method;
    durations.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
  });
}
