import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../accounts/sign-in-attempts.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Logger } from '../../platform/logger.ts';
import { type NewAuditEntry, recordAction } from '../../store/accounts/audit-log.ts';
import { bookkeep, type Database } from '../../store/database.ts';
import { API_PREFIX, isRead } from './links.ts';
import { loggedPath } from './request-log.ts';
import { limitRequests } from './request-rate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The result of an attempt to sign in or sign up: null until the request makes such an attempt, and for all other requests.
     */
    attempt: 'made' | 'refused' | null;
    /** The account that someone tries to sign in to; null if the account is not known or does not exist. */
    attemptedAccountId: string | null;
    /** Another person's account that an operator manages with this request; null for all other requests. */
    managedAccountId: string | null;
    /** What the request does, if the action does not say so; null if it does. */
    auditRemark: string | null;
  }
}

/** Of the requests that a rate limit refused, only the first in a minute is recorded. */
const refusalsPerMinute = 1;

/**
 * Records in the audit log which requests change something or are refused, before the response is sent: every request of an
 * account or a share link except reads, every attempt to sign in or sign up, and calls of deploy hooks. Other requests are not
 * recorded, because anyone can send as many as they like. While the database accepts no changes, there is nothing to record.
 */
export function auditRequests(server: FastifyInstance, db: Database, log: Logger): void {
  server.decorateRequest('attempt', null);
  server.decorateRequest('attemptedAccountId', null);
  server.decorateRequest('managedAccountId', null);
  server.decorateRequest('auditRemark', null);
  const admitRefusal = limitRequests<string>(refusalsPerMinute);
  const isRepeated = (request: FastifyRequest): boolean => {
    try {
      admitRefusal(request.actor === null ? networkOf(request.ip) : JSON.stringify(request.actor));
      return false;
    } catch {
      return true;
    }
  };
  server.addHook('onSend', async (request, reply) => {
    if (!isAudited(request, reply) || (reply.statusCode === 429 && isRepeated(request))) return;
    await bookkeep(recordAction(db, entryOf(request, reply))).catch((error: unknown) => {
      log.error({ reason: messageOf(error), requestId: request.id }, 'Could not record a request in the audit log');
    });
  });
}

function isAudited(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
  // The server has no route for other methods that change nothing, such as OPTIONS.
  if (request.is404) return false;
  // An identity provider sends the browser back with a GET request.
  if (isRead(request)) return request.attempt !== null;
  return request.actor !== null || request.attempt !== null || statusCode < 400;
}

function entryOf(request: FastifyRequest, reply: FastifyReply): NewAuditEntry {
  const { method, routeOptions, url, ip, id } = request;
  // The new resource, or the resource of the path.
  const location = reply.getHeader('location');
  const path = loggedPath(typeof location === 'string' ? new URL(location, 'http://localhost').pathname : url);
  const withoutPrefix = (text: string): string => (text.startsWith(API_PREFIX) ? text.slice(API_PREFIX.length) : text);
  const route = withoutPrefix(routeOptions.url ?? '').replaceAll(/:(\w+)/g, '{$1}');
  return {
    ...actorOf(request),
    address: ip,
    action: `${method} ${route}${request.auditRemark === null ? '' : `: ${request.auditRemark}`}`,
    path: withoutPrefix(path),
    // A refused sign-in with a provider redirects the browser.
    status: request.attempt === 'refused' ? 401 : reply.statusCode,
    requestId: id,
  };
}

function actorOf({
  actor,
  attemptedAccountId,
  managedAccountId,
}: FastifyRequest): Pick<NewAuditEntry, 'accountId' | 'actor' | 'actorId' | 'actorAccountId'> {
  if (actor === null) return { accountId: attemptedAccountId, actor: 'anyone' };
  if ('accountId' in actor) {
    const { accountId } = actor;
    const isOther = managedAccountId !== null && managedAccountId !== accountId;
    const concerned = isOther ? { accountId: managedAccountId, actorAccountId: accountId } : { accountId };
    if ('tokenId' in actor) return { ...concerned, actor: 'api_token', actorId: String(actor.tokenId) };
    return { ...concerned, actor: 'session', actorId: String(actor.sessionId) };
  }
  const actorId = 'shareLinkId' in actor ? actor.shareLinkId : actor.sharedReportId;
  return { accountId: null, actor: 'share_link', actorId };
}
