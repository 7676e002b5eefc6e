import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';

/** Tells for each part that the service needs whether it answers. */
export type Ready = () => Promise<Readonly<Record<string, boolean>>>;

/** A plugin for whoever runs the service. These routes take no token and answer plain JSON or text. */
export function health(
  server: FastifyInstance,
  { ready, metrics }: { readonly ready: Ready; readonly metrics: Registry },
  done: () => void,
): void {
  server.get('/health/live', async () => ({ status: 'live' }));

  server.get('/health/ready', async (_request, reply) => {
    // A part that cannot even be asked is not ready; the log of that part says why.
    const parts = await ready().catch(() => ({}));
    const answers = Object.values(parts);
    const isReady = answers.length > 0 && answers.every(Boolean);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not_ready', parts });
  });

  server.get('/metrics', async (_request, reply) => {
    const text = await metrics.metrics();
    return reply.header('content-type', metrics.contentType).send(text);
  });
  done();
}
