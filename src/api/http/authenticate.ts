import type { Viewer } from '../../accounts/access.ts';
import type { LimitsOfPlans } from '../../accounts/plans.ts';
import { hashToken } from '../../accounts/tokens.ts';
import { AppError } from '../../platform/errors.ts';
import { findTokenHolder, touchToken } from '../../store/api-tokens.ts';
import type { Database } from '../../store/database.ts';
import type { AdmitRequest } from './request-rate.ts';

/**
 * Who makes a request, by its `Authorization` header.
 * @throws AppError unauthorized when there is no bearer token, invalid_token when it is unknown, revoked or expired;
 *   TooManyRequests
 */
export async function authenticate(
  db: Database,
  rules: { readonly limitsOfPlans: LimitsOfPlans; readonly admit: AdmitRequest },
  authorization: string | undefined,
): Promise<Viewer> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new AppError('unauthorized', 'The request needs an API token: "Authorization: Bearer <API_TOKEN>".');
  }
  const holder = await findTokenHolder(db, hashToken(token));
  if (holder?.valid !== true) throw new AppError('invalid_token', 'The API token is unknown, revoked or expired.');
  rules.admit(holder.tokenId);
  if (holder.lastUseStale) await touchToken(db, holder.tokenId);
  const { accountId, plan, ownPlan, scope, expiresAt: tokenExpiresAt } = holder;
  const guestAccountsMax = rules.limitsOfPlans[ownPlan].guest_accounts;
  return { accountId, plan, limits: rules.limitsOfPlans[plan], guestAccountsMax, scope, tokenExpiresAt };
}

/** @throws AppError read_only_token */
export function requireWriteScope(viewer: Viewer): void {
  if (viewer.scope === 'write') return;
  throw new AppError('read_only_token', 'This API token may only read. Use a token of the scope "write".');
}
