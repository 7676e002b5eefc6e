import type { FastifyRequest } from 'fastify';
import { SecretFault } from '../../platform/secret-box.ts';
import type { SessionHolder } from '../../store/sessions.ts';
import { clearCookie, type Exchange, readCookie, writeCookie } from '../http/session-cookie.ts';
import type { AuthParts } from './auth-parts.ts';
import type { OidcChecks } from './oidc-provider.ts';

/** What the browser brings back from the provider, encrypted. */
const FLOW_COOKIE = 'sitewarden_oidc';
/** For what the cookie is encrypted. */
const FLOW_PLACE = 'OpenID Connect sign-in';
const FLOW_MAX_S = 600;
/** Of what is in the cookie: browsers keep 4 KiB. */
const RETURN_TO_CHARACTERS_MAX = 1_000;
const INVITATION_CHARACTERS_MAX = 100;

/** A sign-in that has gone to the provider. */
export interface Flow {
  readonly checks: OidcChecks;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly returnTo: string;
  readonly invitation: string | null;
  /** The session of the browser when it left, whose cookie it does not send when another site leads back; null without one. */
  readonly session: Pick<SessionHolder, 'accountId' | 'sessionId'> | null;
  /** Whether to link the person to the account of the session, instead of signing in. */
  readonly isLinking: boolean;
}

/** Lets the browser keep a flow that begins. Texts that are too long are cut. */
export function keepFlow(
  { box, settings }: AuthParts,
  exchange: Pick<Exchange, 'request' | 'reply'>,
  { checks, returnTo, invitation, session, isLinking }: Omit<Flow, 'startedAt'>,
): void {
  const flow: Flow = {
    checks,
    startedAt: Date.now(),
    returnTo: returnTo.slice(0, RETURN_TO_CHARACTERS_MAX),
    invitation: invitation?.slice(0, INVITATION_CHARACTERS_MAX) ?? null,
    session: session === null ? null : { accountId: session.accountId, sessionId: session.sessionId },
    isLinking,
  };
  const sealed = box.seal(JSON.stringify(flow), FLOW_PLACE).toString('base64url');
  // The provider, another site, leads back here.
  writeCookie({ ...exchange, settings }, FLOW_COOKIE, sealed, { sameSite: 'lax', maxAgeSeconds: FLOW_MAX_S });
}

/** Returns the flow that this browser has begun, which it then forgets; null if there is none, or it began too long ago. */
export function takeFlow(parts: AuthParts, exchange: Pick<Exchange, 'request' | 'reply'>): Flow | null {
  const flow = readFlow(parts, exchange.request);
  clearCookie({ ...exchange, settings: parts.settings }, FLOW_COOKIE);
  return flow;
}

function readFlow({ box, settings }: AuthParts, request: FastifyRequest): Flow | null {
  const sealed = readCookie(request, settings, FLOW_COOKIE);
  if (sealed === undefined) return null;
  try {
    const flow: Flow = JSON.parse(box.open(Buffer.from(sealed, 'base64url'), FLOW_PLACE));
    return Date.now() - flow.startedAt <= FLOW_MAX_S * 1_000 ? flow : null;
  } catch (error) {
    if (error instanceof SecretFault) return null;
    throw error;
  }
}
