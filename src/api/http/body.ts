import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import { MEDIA_TYPE } from '../jsonapi/document.ts';
import { discardTimeoutMs } from './limits.ts';

/** The media types of request bodies. */
export const BODY_MEDIA_TYPES = ['application/json', MEDIA_TYPE];

/**
 * Makes the routes of a scope parse JSON bodies. Fastify's own parser would accept invalid UTF-8, and refuse attributes named
 * `__proto__` or `constructor`, which are merely unknown attributes here.
 */
export function readJsonBodies(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    BODY_MEDIA_TYPES,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      const encoding = request.headers['content-encoding'] ?? 'identity';
      if (encoding.trim().toLowerCase() !== 'identity') throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE();
      return parseJson(bytes);
    },
  );
}

/** Makes the routes of a scope ignore bodies of every type, up to the size limit. */
export function ignoreBodies(scope: FastifyInstance): void {
  takeAllTypes(scope, () => undefined);
}

/** Parses JSON bodies of every content type, and ignores other bodies. */
export function readAnyBodies(scope: FastifyInstance): void {
  takeAllTypes(scope, (bytes) => {
    try {
      return parseJson(bytes);
    } catch {
      return undefined;
    }
  });
}

/** Passes bodies of every type to the routes of a scope as they were sent, up to the size limit. */
export function keepBodies(scope: FastifyInstance): void {
  takeAllTypes(scope, (bytes) => bytes);
}

function takeAllTypes(scope: FastifyInstance, parse: (bytes: Buffer) => unknown): void {
  // Fastify returns 415 for a content type that it cannot read, before it looks for a parser.
  scope.addHook('onRequest', async ({ raw }) => void delete raw.headers['content-type']);
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, bytes: Buffer) => parse(bytes));
}

/** Returns undefined for an empty body, as if there were none. */
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new AppError('invalid_json', 'The body is not valid UTF-8.');
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new AppError('invalid_json', 'The body is not valid JSON.');
  }
}

/**
 * Reads and discards the rest of a refused body, for up to `discardTimeoutMs`. If it were not read, a client that is still
 * sending would get a connection reset instead of the response, and the connection could not be reused.
 * @returns whether the whole body was read
 */
export async function discardBody(request: IncomingMessage): Promise<boolean> {
  request.resume();
  return finished(request, { signal: AbortSignal.timeout(discardTimeoutMs) }).then(
    () => true,
    () => false,
  );
}

/** Sends a JSON:API document; null sends no content. */
export function sendDocument(reply: FastifyReply, status: number, document: object | null): FastifyReply {
  reply.code(status);
  if (document === null) return reply.send();
  // With a custom serializer, Fastify adds no `charset`, which JSON:API forbids.
  return reply.header('content-type', MEDIA_TYPE).serializer(JSON.stringify).send(document);
}
