import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NO_ACCOUNT, type Viewer } from '../../accounts/access.ts';
import type { LimitsOfPlans } from '../../accounts/plans.ts';
import { createRequestCharge } from '../../accounts/request-charge.ts';
import { hashToken } from '../../accounts/tokens.ts';
import { AppError } from '../../platform/errors.ts';
import { findTokenHolder, type TokenHolder, touchToken } from '../../store/api-tokens.ts';
import type { Database } from '../../store/database.ts';
import { findLinkedReport, type LinkedReport } from '../../store/share-links.ts';
import type { ApiParts } from './endpoint.ts';
import { linkRequestsPerMinute } from './limits.ts';
import { API_PREFIX, isOpenToLinks } from './links.ts';
import { limitRequests } from './request-rate.ts';

/**
 * Requires an API token or the secret of a share link for every route of a scope, before the body is read. Sets the `viewer` of
 * the request, and counts it for the rate limit and, if it is of an account, for the credits.
 */
export function authenticateRequests(scope: FastifyInstance, { db, log, config }: ApiParts): void {
  const admitToken = limitRequests<number>(config.apiRateLimit);
  const admitLink = limitRequests<string>(linkRequestsPerMinute, 'share link');
  const charge = createRequestCharge(db, log);
  scope.addHook('onClose', () => charge.close());
  scope.decorateRequest('viewer', null);
  scope.addHook('onRequest', async (request) => {
    const bearer = await findBearer(db, request.headers.authorization);
    if ('tokenId' in bearer) {
      admitToken(bearer.tokenId);
      charge.count(bearer.accountId);
    } else {
      admitLink(bearer.reportId);
    }
    const viewer = viewerFrom(bearer, config.planLimits);
    if (!['GET', 'HEAD'].includes(request.method)) requireWriteScope(viewer);
    if (viewer.linkedReportId !== null) requireLinkedPath(request);
    request.setDecorator('viewer', viewer);
  });
}

/** Authenticates a request. @throws AppError unauthorized, invalid_token */
export async function viewerOf(
  { db, config }: Pick<ApiParts, 'db' | 'config'>,
  request: FastifyRequest,
): Promise<Viewer> {
  const bearer = await findBearer(db, request.headers.authorization);
  return viewerFrom(bearer, config.planLimits);
}

/**
 * @throws AppError unauthorized when there is no bearer token; invalid_token when it is unknown, revoked or expired, or the
 *   secret of a link that was closed
 */
async function findBearer(db: Database, authorization: string | undefined): Promise<TokenHolder | LinkedReport> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new AppError('unauthorized', 'The request requires an API token: "Authorization: Bearer <API_TOKEN>".');
  }
  const hash = hashToken(token);
  const bearer = (await findTokenHolder(db, hash)) ?? (await findLinkedReport(db, hash));
  if (bearer === undefined || ('tokenId' in bearer && !bearer.valid)) {
    throw new AppError('invalid_token', 'The API token is unknown, revoked or expired.');
  }
  if ('tokenId' in bearer && bearer.lastUseStale) await touchToken(db, bearer.tokenId);
  return bearer;
}

function viewerFrom(bearer: TokenHolder | LinkedReport, limitsOfPlans: LimitsOfPlans): Viewer {
  return 'tokenId' in bearer ? accountViewer(bearer, limitsOfPlans) : linkViewer(bearer, limitsOfPlans);
}

function accountViewer(holder: TokenHolder, limitsOfPlans: LimitsOfPlans): Viewer {
  const { accountId, plan, ownPlan, scope, expiresAt: tokenExpiresAt } = holder;
  const guestAccountsMax = limitsOfPlans[ownPlan].guest_accounts;
  return {
    accountId,
    linkedReportId: null,
    plan,
    limits: limitsOfPlans[plan],
    guestAccountsMax,
    scope,
    tokenExpiresAt,
  };
}

function linkViewer({ reportId, plan }: LinkedReport, limitsOfPlans: LimitsOfPlans): Viewer {
  const account = { accountId: NO_ACCOUNT, linkedReportId: reportId, plan, limits: limitsOfPlans[plan] };
  return { ...account, guestAccountsMax: 0, scope: 'read', tokenExpiresAt: null };
}

/** @throws AppError read_only_token */
function requireWriteScope(viewer: Viewer): void {
  if (viewer.scope === 'write') return;
  throw new AppError('read_only_token', 'This API token can only read. Use a token with the scope "write".');
}

/** @throws AppError forbidden */
function requireLinkedPath({ routeOptions: { url = '' } }: FastifyRequest): void {
  if (isOpenToLinks(url.slice(API_PREFIX.length))) return;
  throw new AppError('forbidden', 'A share link opens one report, and nothing else. Use an API token.');
}
