import type { FastifyInstance, FastifyRequest } from 'fastify';
import { NO_ACCOUNT, type OpenLink, type Viewer } from '../../accounts/access.ts';
import { AppError, accountDisabled } from '../../platform/errors.ts';
import { hashSecret } from '../../platform/kept-secret.ts';
import { findTokenHolder, type TokenHolder, touchToken } from '../../store/accounts/api-tokens.ts';
import type { SessionHolder } from '../../store/accounts/sessions.ts';
import { bookkeep, type Database } from '../../store/database.ts';
import { findLinkedReport, type LinkedReport } from '../../store/reports/share-links.ts';
import { findLinkedSites, type LinkedSites } from '../../store/reports/site-links.ts';
import type { ApiParts, ApiSettings } from './endpoint.ts';
import { linkRequestsPerMinute, sessionRequestsPerMinute } from './limits.ts';
import { API_PREFIX, isOpenToLinks, isRead } from './links.ts';
import type { Actor } from './request-log.ts';
import { createRequestCharge, limitRequests } from './request-rate.ts';
import { isAttended, requireOwnOrigin, sessionOf } from './session-cookie.ts';

/** Who makes a request: a program, a signed-in browser, or a person with a share link. */
type Principal = TokenHolder | SessionHolder | LinkedReport | LinkedSites;

/**
 * Requires an API token, the cookie of a session or the secret of a share link for every route of a scope, before the body is
 * read. Sets the `viewer` of the request, and counts it for its rate limit and, if it has a token, for the credits.
 */
export function authenticateRequests(scope: FastifyInstance, parts: ApiParts): void {
  const { db, log, config, requestCounts: exchange } = parts;
  const admitToken = limitRequests<number>(config.apiRateLimit, 'API token', { exchange });
  const admitSession = limitRequests<number>(sessionRequestsPerMinute, 'session', { exchange });
  const admitLink = limitRequests<string>(linkRequestsPerMinute, 'share link', { exchange });
  const charge = createRequestCharge(db, log);
  scope.addHook('onClose', () => charge.close());
  scope.decorateRequest('viewer', null);
  scope.addHook('onRequest', async (request, reply) => {
    const principal = await findPrincipal(parts, request, isAttended(request));
    request.actor = actorOf(principal);
    const isWrite = !isRead(request);
    if ('tokenId' in principal) {
      admitToken(principal.tokenId);
      requireEnabled(principal);
      charge.count(principal.accountId);
    } else if ('sessionId' in principal) {
      if (isWrite) requireOwnOrigin(request, config);
      admitSession(principal.sessionId);
      // Caches know that responses to requests with an Authorization header are for one user only, but not with a cookie.
      reply.header('cache-control', 'no-store');
    } else {
      admitLink(openLinkOf(principal).id);
    }
    const viewer = viewerFrom(principal, config);
    if (isWrite) requireWriteScope(viewer);
    if (viewer.link !== null) requireLinkedPath(request, viewer.link);
    request.setDecorator('viewer', viewer);
  });
}

function actorOf(principal: Principal): Actor {
  if ('tokenId' in principal) return { accountId: principal.accountId, tokenId: principal.tokenId };
  if ('sessionId' in principal) return { accountId: principal.accountId, sessionId: principal.sessionId };
  return 'reportId' in principal ? { sharedReportId: principal.reportId } : { shareLinkId: principal.linkId };
}

/**
 * Authenticates a request again, which does not count as a use of its session.
 * @throws AppError unauthorized, invalid_token, account_disabled
 */
export async function viewerOf(parts: Pick<ApiParts, 'db' | 'config'>, request: FastifyRequest): Promise<Viewer> {
  const principal = await findPrincipal(parts, request, false);
  requireEnabled(principal);
  return viewerFrom(principal, parts.config);
}

/** @throws AppError account_disabled for a token: sessions and share links of the account end when it is disabled */
function requireEnabled(principal: Principal): void {
  if ('tokenId' in principal && principal.isDisabled) throw accountDisabled();
}

/**
 * A bearer token takes precedence over a cookie, even if the token is invalid.
 * @param isUse whether this request counts as use of a session
 * @throws AppError unauthorized, invalid_token
 */
async function findPrincipal(
  { db, config }: Pick<ApiParts, 'db' | 'config'>,
  request: FastifyRequest,
  isUse: boolean,
): Promise<Principal> {
  const { authorization } = request.headers;
  if (authorization !== undefined && /^Bearer\b/i.test(authorization)) return findBearer(db, authorization);
  // Browsers send credentials for a proxy in front of the service with every request.
  const session = await sessionOf(db, request, config, isUse);
  if (session !== undefined) return session;
  if (authorization !== undefined) return findBearer(db, authorization);
  throw new AppError(
    'unauthorized',
    'The request requires an API token, "Authorization: Bearer <API_TOKEN>", or the cookie of an active session.',
  );
}

/**
 * @throws AppError unauthorized when it is not a bearer token; invalid_token when it is unknown, revoked or expired, or the
 *   secret of a link that was closed
 */
async function findBearer(db: Database, authorization: string): Promise<TokenHolder | LinkedReport | LinkedSites> {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
  if (token === undefined) {
    throw new AppError('unauthorized', 'The request requires an API token: "Authorization: Bearer <API_TOKEN>".');
  }
  const hash = hashSecret(token);
  const bearer =
    (await findTokenHolder(db, hash)) ?? (await findLinkedReport(db, hash)) ?? (await findLinkedSites(db, hash));
  if (bearer === undefined || ('tokenId' in bearer && !bearer.valid)) {
    throw new AppError('invalid_token', 'The API token is unknown, revoked or expired.');
  }
  if ('tokenId' in bearer && !bearer.isDisabled && bearer.lastUseStale) await bookkeep(touchToken(db, bearer.tokenId));
  return bearer;
}

function viewerFrom(principal: Principal, config: ViewerConfig): Viewer {
  if ('tokenId' in principal) return accountViewer(principal, config);
  if ('sessionId' in principal) return accountViewer({ ...principal, scope: 'write', expiresAt: null }, config);
  return linkViewer(principal, config);
}

type ViewerConfig = Pick<ApiSettings, 'planLimits' | 'standard'>;

function accountViewer(
  holder: Pick<TokenHolder, 'accountId' | 'plan' | 'ownPlan' | 'operator' | 'chosenMeasure' | 'scope' | 'expiresAt'>,
  { planLimits: limitsOfPlans, standard }: ViewerConfig,
): Viewer {
  const { accountId, plan, ownPlan, operator: isOperator, chosenMeasure, scope, expiresAt: tokenExpiresAt } = holder;
  const guestAccountsMax = limitsOfPlans[ownPlan].guest_accounts;
  return {
    accountId,
    link: null,
    plan,
    limits: limitsOfPlans[plan],
    guestAccountsMax,
    measure: chosenMeasure ?? { standard, best_practices: false },
    scope,
    isOperator,
    tokenExpiresAt,
  };
}

function openLinkOf(found: LinkedReport | LinkedSites): OpenLink {
  if ('reportId' in found) return { opens: 'report', id: found.reportId };
  return { opens: 'sites', id: found.linkId, siteIds: found.siteIds };
}

function linkViewer(found: LinkedReport | LinkedSites, { planLimits: limitsOfPlans, standard }: ViewerConfig): Viewer {
  const { plan } = found;
  const account = { accountId: NO_ACCOUNT, link: openLinkOf(found), plan, limits: limitsOfPlans[plan] };
  const measure = { standard, best_practices: false };
  return { ...account, guestAccountsMax: 0, measure, scope: 'read', isOperator: false, tokenExpiresAt: null };
}

/** @throws AppError read_only_token */
function requireWriteScope(viewer: Viewer): void {
  if (viewer.scope === 'write') return;
  throw new AppError('read_only_token', 'This API token is read-only. Use a token with the scope "write".');
}

/** @throws AppError forbidden */
function requireLinkedPath({ routeOptions: { url = '' } }: FastifyRequest, { opens }: OpenLink): void {
  if (isOpenToLinks(url.slice(API_PREFIX.length), opens)) return;
  const what = opens === 'report' ? 'its report' : 'its sites and their reports';
  throw new AppError('forbidden', `A share link only gives access to ${what}. Use an API token.`);
}
