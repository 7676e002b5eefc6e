import type { Socket } from 'node:net';
import { AppError } from '../../platform/errors.ts';
import { answerTo } from '../jsonapi/errors.ts';

const STATUS_LINES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** Answers what Node could not read as HTTP, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy(error);
    return;
  }
  const answer = answerTo(new AppError('invalid_request', 'The request cannot be read as HTTP.'));
  const statusLine = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
  const errors = answer?.document.errors.map((item) => ({ ...item, status: statusLine.slice(0, 3) }));
  const body = JSON.stringify({ ...answer?.document, errors });
  const head = [
    'content-type: application/vnd.api+json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`HTTP/1.1 ${statusLine}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
}
