import type { FastifyReply, FastifyRequest } from 'fastify';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import type { FileAnswer } from './endpoint.ts';
import { fileIdleMs } from './limits.ts';

/**
 * Sends a file, and ends reading it with the connection. It contains foreign text, so browsers must save it and not show it as a
 * page of this service. A HEAD request opens none.
 */
export function sendFile(
  log: Logger,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, mediaType, open }: FileAnswer,
): FastifyReply {
  const stream = request.method === 'HEAD' ? null : open();
  // The status has been sent, so the client only sees that the file ends early.
  stream?.on('error', (error) => log.warn({ reason: messageOf(error), file: name }, 'A download broke off'));
  if (reply.raw.destroyed) stream?.destroy();
  reply.raw.setTimeout(fileIdleMs, () => reply.raw.destroy());
  reply.headers({
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return reply.send(stream ?? undefined);
}
