import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DOCS_STYLE } from '../openapi/docs-style.ts';

/** Our pages load nothing and run nothing, and browsers hold them to that. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page for people, whose only style is `DOCS_STYLE`. */
export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .send(page);
}
