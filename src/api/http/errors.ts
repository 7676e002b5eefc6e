import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCancelled, isPassing } from '../../platform/database-errors.ts';
import { AppError, codeOf, type ErrorCode, messageOf, RetryLater } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { MEDIA_TYPE } from '../jsonapi/document.ts';
import { answerTo, type ErrorAnswer, internalErrorAnswer } from '../jsonapi/errors.ts';
import { BODY_MEDIA_TYPES, sendDocument } from './body.ts';
import { bodyMaxBytes, unavailableRetryS } from './limits.ts';
import { loggedRequest } from './request-log.ts';

/** Sends an error. Errors not meant for clients are logged, and sent as `internal` with the id of their log entry. */
export function sendError(log: Logger, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isPassing(error)) log.warn({ ...loggedRequest(request), reason: messageOf(error) }, 'request not served');
  const reason = isPassing(error) ? databaseUnavailable(error) : error;
  const answer = answerTo(reason) ?? answerTo(fromFramework(error)) ?? internalError(log, error, request);
  if (answer.status === 401) reply.header('www-authenticate', 'Bearer');
  if (reason instanceof RetryLater) reply.header('retry-after', reason.retryAfterSeconds);
  return sendDocument(reply, answer.status, answer.document);
}

/** Converts a transient database error, so that the client tries again later. */
function databaseUnavailable(cause: unknown): RetryLater {
  const detail = isCancelled(cause)
    ? 'The database took too long over this request. Use a narrower filter or smaller pages, or try again later.'
    : 'The database is not available right now. Try again in a moment.';
  return new RetryLater('unavailable', detail, unavailableRetryS, { cause });
}

/** Errors of Fastify and Node.js that the client caused, by their codes. */
const FRAMEWORK_ERRORS: Readonly<Record<string, [code: ErrorCode, detail: string]>> = {
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is no such resource.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', `The body has more than ${bodyMaxBytes} bytes.`],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    `The body must be of type ${BODY_MEDIA_TYPES.join(' or ')}, and not compressed.`,
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body ended early.'],
  ECONNRESET: ['invalid_request', 'The body ended early.'],
};

function fromFramework(error: unknown): AppError | undefined {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status < 400 || status > 499) return undefined;
  const [code, detail] = FRAMEWORK_ERRORS[codeOf(error)] ?? ['invalid_request', 'The URL cannot be read.'];
  return new AppError(code, detail);
}

function internalError(log: Logger, error: unknown, request: FastifyRequest): ErrorAnswer {
  const id = randomUUID();
  log.error({ err: error, id, ...loggedRequest(request) }, 'request failed');
  return internalErrorAnswer(id);
}

const STATUS_LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers a request that Node.js cannot parse, which never reaches Fastify, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const answer = answerTo(new AppError('invalid_request', 'The request cannot be read as HTTP.'));
  const statusLine = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  const errors = answer?.document.errors.map((item) => ({ ...item, status: statusLine.slice(0, 3) }));
  const body = JSON.stringify({ ...answer?.document, errors });
  const head = [`content-type: ${MEDIA_TYPE}`, `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  socket.end(`HTTP/1.1 ${statusLine}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
