import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type LinkingSession, linkPerson, OidcFault, signInPerson } from '../../accounts/oidc-sign-in.ts';
import { AppError, messageOf } from '../../platform/errors.ts';
import { SecretFault } from '../../platform/secret-box.ts';
import { baseUrlFor } from '../http/links.ts';
import { clearCookie, readCookie, sessionOf, writeCookie, writeSessionCookie } from '../http/session-cookie.ts';
import { type AuthParts, browserOf } from './auth-parts.ts';
import { type OidcChecks, type OidcProvider, OidcRefused } from './oidc-provider.ts';

const CALLBACK_PATH = '/auth/oidc/callback';
/** What the browser brings back from the provider, encrypted. */
const FLOW_COOKIE = 'sitewarden_oidc';
/** For what the cookie is encrypted. */
const FLOW_PLACE = 'OpenID Connect sign-in';
const FLOW_MAX_S = 600;
/** Of what is in the cookie: browsers keep 4 KiB. */
const RETURN_TO_CHARACTERS_MAX = 1_000;
const INVITATION_CHARACTERS_MAX = 100;

/** A sign-in that has gone to the provider. */
interface Flow {
  readonly checks: OidcChecks;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly returnTo: string;
  readonly invitation: string | null;
  /** The session that links the provider to its account; null to sign in. */
  readonly linking: LinkingSession | null;
}

/** Signing in with the provider of the settings. Both are pages that the browser navigates to. */
export function oidcRoutes(server: FastifyInstance, parts: AuthParts): void {
  server.get('/auth/oidc/start', async (request, reply) => {
    const provider = requireProvider(parts);
    const { db, settings } = parts;
    const query = new URL(request.url, 'http://here').searchParams;
    const redirectUri = `${baseUrlFor(request, settings)}${CALLBACK_PATH}`;
    const started = await provider.authorize(redirectUri).catch((error: unknown) => failed(parts, error));
    if (started === null) return reply.redirect(signInPage(parts, request, 'oidc_failed'), 302);
    // Only the dashboard itself links: a page of another service on this site must not link a person of its own choice.
    const isOwn = request.headers['sec-fetch-site'] === 'same-origin';
    const session = isOwn ? await sessionOf(db, request, settings) : undefined;
    keepFlow(parts, request, reply, {
      checks: started.checks,
      startedAt: Date.now(),
      returnTo: query.get('return_to')?.slice(0, RETURN_TO_CHARACTERS_MAX) ?? '/',
      invitation: query.get('invitation')?.slice(0, INVITATION_CHARACTERS_MAX) ?? null,
      linking: session === undefined ? null : { accountId: session.accountId, sessionId: session.sessionId },
    });
    return reply.redirect(started.url.href, 302);
  });

  server.get(CALLBACK_PATH, async (request, reply) => {
    const provider = requireProvider(parts);
    const flow = readFlow(parts, request);
    clearCookie({ request, reply, settings: parts.settings }, FLOW_COOKIE);
    if (flow === null) return reply.redirect(signInPage(parts, request, 'oidc_expired'), 302);
    try {
      await finish(parts, provider, flow, { request, reply });
      return reply.redirect(ownUrl(parts, request, flow.returnTo), 302);
    } catch (error) {
      return reply.redirect(signInPage(parts, request, reasonOf(parts, error)), 302);
    }
  });
}

/** @throws AppError not_found */
function requireProvider({ oidc }: AuthParts): OidcProvider {
  if (oidc === null) throw new AppError('not_found', 'This installation has no OpenID Connect provider.');
  return oidc;
}

async function finish(
  { db, settings }: AuthParts,
  provider: OidcProvider,
  { checks, invitation, linking }: Flow,
  exchange: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<void> {
  const { request } = exchange;
  const url = new URL(`${baseUrlFor(request, settings)}${CALLBACK_PATH}`);
  url.search = new URL(request.url, 'http://here').search;
  const person = await provider.identify(url, checks);
  if (linking !== null) return linkPerson(db, person, linking);
  const policy = { signUp: settings.signUp, invitation: invitation ?? undefined };
  const session = await signInPerson(db, person, policy, browserOf(request));
  writeSessionCookie({ ...exchange, settings }, session.secret);
}

function reasonOf(parts: AuthParts, error: unknown): string {
  if (error instanceof OidcFault) return error.reason;
  if (error instanceof OidcRefused) return 'oidc_refused';
  failed(parts, error);
  return 'oidc_failed';
}

/** Logs why the provider could not be used. */
function failed({ log }: AuthParts, error: unknown): null {
  const cause = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : undefined;
  log.warn({ reason: messageOf(error), cause }, 'Could not sign in with the OpenID Connect provider');
  return null;
}

function keepFlow({ box, settings }: AuthParts, request: FastifyRequest, reply: FastifyReply, flow: Flow): void {
  const sealed = box.seal(JSON.stringify(flow), FLOW_PLACE).toString('base64url');
  // The provider, another site, leads back here.
  writeCookie({ request, reply, settings }, FLOW_COOKIE, sealed, { sameSite: 'lax', maxAgeSeconds: FLOW_MAX_S });
}

/** Returns the sign-in that this browser has begun; null if there is none, or too long ago. */
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

/** Returns an absolute URL of this service for a path; for any other text, that of the first page. */
function ownUrl({ settings }: AuthParts, request: FastifyRequest, path: string): string {
  const base = baseUrlFor(request, settings);
  const url = path.startsWith('/') ? URL.parse(path, base) : null;
  const isOwn = url !== null && url.origin === new URL(base).origin;
  return isOwn ? url.href : `${base}/`;
}

function signInPage({ settings }: AuthParts, request: FastifyRequest, error: string): string {
  return `${baseUrlFor(request, settings)}/sign-in?error=${error}`;
}
