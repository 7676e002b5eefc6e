import type { FastifyInstance } from 'fastify';
import type { Viewer } from '../../accounts/access.ts';
import type { LimitsOfPlans } from '../../accounts/plans.ts';
import { createRequestCharge } from '../../accounts/request-charge.ts';
import { hashToken } from '../../accounts/tokens.ts';
import { AppError, RetryLater } from '../../platform/errors.ts';
import { findTokenHolder, touchToken } from '../../store/api-tokens.ts';
import type { Database } from '../../store/database.ts';
import type { ApiParts } from './endpoint.ts';

/**
 * Requires an API token for every route of a scope, before the body is read. Sets the `viewer` of the request, and counts it
 * for the rate limit and the credits.
 */
export function authenticateRequests(scope: FastifyInstance, { db, log, config }: ApiParts): void {
  const admit = limitRequests(config.apiRateLimit);
  const charge = createRequestCharge(db, log);
  scope.addHook('onClose', () => charge.close());
  scope.decorateRequest('viewer', null);
  scope.addHook('onRequest', async (request) => {
    const { tokenId, viewer } = await findViewer(db, config.planLimits, request.headers.authorization);
    admit(tokenId);
    charge.count(viewer.accountId);
    if (!['GET', 'HEAD'].includes(request.method)) requireWriteScope(viewer);
    request.setDecorator('viewer', viewer);
  });
}

/** @throws AppError unauthorized when there is no bearer token, invalid_token when it is unknown, revoked or expired */
async function findViewer(
  db: Database,
  limitsOfPlans: LimitsOfPlans,
  authorization: string | undefined,
): Promise<{ readonly tokenId: number; readonly viewer: Viewer }> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new AppError('unauthorized', 'The request requires an API token: "Authorization: Bearer <API_TOKEN>".');
  }
  const holder = await findTokenHolder(db, hashToken(token));
  if (holder?.valid !== true) throw new AppError('invalid_token', 'The API token is unknown, revoked or expired.');
  if (holder.lastUseStale) await touchToken(db, holder.tokenId);
  const { tokenId, accountId, plan, ownPlan, scope, expiresAt: tokenExpiresAt } = holder;
  const guestAccountsMax = limitsOfPlans[ownPlan].guest_accounts;
  const limits = limitsOfPlans[plan];
  return {
    tokenId,
    viewer: { accountId, linkedReportId: null, plan, limits, guestAccountsMax, scope, tokenExpiresAt },
  };
}

/** @throws AppError read_only_token */
function requireWriteScope(viewer: Viewer): void {
  if (viewer.scope === 'write') return;
  throw new AppError('read_only_token', 'This API token can only read. Use a token with the scope "write".');
}

/** Admits a request of a token. @throws RetryLater rate_limited */
export type AdmitRequest = (tokenId: number) => void;

const MINUTE_MS = 60_000;

/**
 * Limits the requests of each token in any period of 60 seconds. Counts only requests of this process that were admitted.
 * @param perMinute null for no limit
 * @param now a monotonic clock, in milliseconds
 */
export function limitRequests(perMinute: number | null, now: () => number = () => performance.now()): AdmitRequest {
  if (perMinute === null) return () => undefined;
  let logs = new Map<number, RequestLog>();
  let prunedAt = now();

  return (tokenId) => {
    const time = now();
    if (time - prunedAt >= MINUTE_MS) {
      logs = new Map([...logs].filter(([, { last }]) => time - last < MINUTE_MS));
      prunedAt = time;
    }
    const log = logs.get(tokenId) ?? { times: [], oldest: 0, last: time };
    const waitMs = (log.times[log.oldest] ?? Number.NEGATIVE_INFINITY) + MINUTE_MS - time;
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1_000);
      const detail = `This API token may make ${perMinute} requests a minute. Wait ${seconds} seconds.`;
      throw new RetryLater('rate_limited', detail, seconds);
    }
    log.times[log.oldest] = time;
    log.oldest = (log.oldest + 1) % perMinute;
    log.last = time;
    logs.set(tokenId, log);
  };
}

/** A ring buffer of the times at which the last requests of a token were admitted, as many as a minute allows. */
interface RequestLog {
  readonly times: number[];
  oldest: number;
  last: number;
}
