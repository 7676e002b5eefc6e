import type { FastifyInstance } from 'fastify';
import type { Viewer } from '../../accounts/access.ts';
import type { LimitsOfPlans } from '../../accounts/plans.ts';
import { createRequestCharge } from '../../accounts/request-charge.ts';
import { hashToken } from '../../accounts/tokens.ts';
import { AppError } from '../../platform/errors.ts';
import { findTokenHolder, touchToken } from '../../store/api-tokens.ts';
import type { Database } from '../../store/database.ts';
import type { ApiParts } from './endpoint.ts';
import { limitRequests } from './request-rate.ts';

/**
 * Makes every route of a scope ask for an API token before it reads a body. The request then has a `viewer`, and counts for
 * the rate limit and the credits.
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
  return { tokenId, viewer: { accountId, plan, limits, guestAccountsMax, scope, tokenExpiresAt } };
}

/** @throws AppError read_only_token */
function requireWriteScope(viewer: Viewer): void {
  if (viewer.scope === 'write') return;
  throw new AppError('read_only_token', 'This API token can only read. Use a token with the scope "write".');
}
