import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';
import { compressedMinBytes } from '../limits.ts';

/**
 * Compresses answers for clients that accept it (decision 0044). Requests stay uncompressed: a compressed body is refused.
 * A route that streams and must flush sets `compress: false`.
 */
export function compressAnswers(server: FastifyInstance): void {
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
