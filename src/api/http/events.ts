import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const EVENTS_MEDIA_TYPE = 'text/event-stream';

/** Sends a stream of events, and closes it with the connection. A HEAD request opens none. */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  open: () => Promise<Readable>,
): Promise<FastifyReply> {
  const stream = request.method === 'HEAD' ? null : await open();
  if (reply.raw.destroyed) stream?.destroy();
  // Proxies must forward every event at once, unchanged.
  reply.header('content-type', EVENTS_MEDIA_TYPE);
  reply.header('cache-control', 'no-store, no-transform').header('x-accel-buffering', 'no');
  return reply.send(stream ?? undefined);
}
