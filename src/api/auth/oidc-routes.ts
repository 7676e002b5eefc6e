import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { reauthenticate } from '../../accounts/reauthenticate.ts';
import { linkPerson, OidcFault, signInPerson, unlinkPerson } from '../../accounts/sign-in.ts';
import { AppError, messageOf, RetryLater } from '../../platform/errors.ts';
import { openOrNull } from '../../platform/secret-box.ts';
import type { SessionHolder } from '../../store/accounts/sessions.ts';
import { baseUrlFor } from '../http/links.ts';
import { clearCookie, type Exchange, readCookie, sessionOf, writeCookie } from '../http/session-cookie.ts';
import { type AuthParts, browserOf, enter, requireSession } from './auth-parts.ts';
import { GIVEN_PASSWORD, readFields } from './fields.ts';
import { type OidcChecks, type OidcProvider, OidcRefused } from './oidc-provider.ts';

const CALLBACK_PATH = '/auth/oidc/callback';
/** When to retry after a provider could not be used. */
const PROVIDER_RETRY_S = 10;

const LINK = Type.Object({ current_password: Type.Optional(GIVEN_PASSWORD), return_to: Type.Optional(Type.String()) });

/**
 * Signing in with the provider from the settings, and linking accounts to it. The first two routes are pages that the browser
 * navigates to.
 */
export function oidcRoutes(server: FastifyInstance, parts: AuthParts): void {
  const { db, settings } = parts;

  server.get('/auth/oidc/start', async (request, reply) => {
    const provider = requireProvider(parts);
    const query = new URL(request.url, 'http://here').searchParams;
    const returnTo = query.get('return_to') ?? '/';
    // Browsers do not send the session cookie when another site links here. The sign-in page does know who is signed in.
    if (request.headers['sec-fetch-site'] === 'cross-site') {
      return reply.redirect(signInPage(parts, request, { to: pathFrom(parts, request, returnTo) }), 302);
    }
    const session = (await sessionOf(db, request, settings)) ?? null;
    const flow = { returnTo, invitation: query.get('invitation'), session, isLinking: false };
    const url = await leave(parts, provider, { request, reply }, flow);
    return reply.redirect(url ?? signInPage(parts, request, { error: 'oidc_failed' }), 302);
  });

  server.get(CALLBACK_PATH, async (request, reply) => {
    const provider = requireProvider(parts);
    const flow = takeFlow(parts, { request, reply });
    if (flow === null) return reply.redirect(signInPage(parts, request, { error: 'oidc_expired' }), 302);
    request.attempt = 'made';
    try {
      await finish(parts, provider, flow, { request, reply });
      return reply.redirect(baseUrlFor(request, settings) + pathFrom(parts, request, flow.returnTo), 302);
    } catch (error) {
      request.attempt = 'refused';
      return reply.redirect(signInPage(parts, request, { error: reasonOf(parts, error) }), 302);
    }
  });

  server.post('/auth/oidc/link', async (request, reply) => {
    const provider = requireProvider(parts);
    const session = await requireSession(parts, request);
    const { current_password: password, return_to: returnTo = '/' } = readFields(LINK, request.body);
    await reauthenticate(parts, session, password);
    const url = await leave(
      parts,
      provider,
      { request, reply },
      { returnTo, invitation: null, session, isLinking: true },
    );
    if (url === null) throw new RetryLater('unavailable', 'The provider cannot be reached.', PROVIDER_RETRY_S);
    return { url };
  });

  server.delete('/auth/oidc', async (request, reply) => {
    const { accountId } = await requireSession(parts, request);
    await unlinkPerson(db, accountId);
    return reply.code(204).send();
  });
}

/** @throws AppError not_found */
function requireProvider({ oidc }: AuthParts): OidcProvider {
  if (oidc === null) throw new AppError('not_found', 'This installation has no OpenID Connect provider.');
  return oidc;
}

interface PageExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns where to send the browser at the provider; null if the provider cannot be used, which is logged. */
async function leave(
  parts: AuthParts,
  provider: OidcProvider,
  exchange: PageExchange,
  flow: Omit<Flow, 'checks' | 'startedAt'>,
): Promise<string | null> {
  const redirectUri = `${baseUrlFor(exchange.request, parts.settings)}${CALLBACK_PATH}`;
  const started = await provider.authorize(redirectUri).catch((error: unknown) => failed(parts, error));
  if (started === null) return null;
  keepFlow(parts, exchange, { ...flow, checks: started.checks });
  return started.url.href;
}

async function finish(
  parts: AuthParts,
  provider: OidcProvider,
  { checks, invitation, session, isLinking }: Flow,
  exchange: PageExchange,
): Promise<void> {
  const { db, settings } = parts;
  const { request } = exchange;
  const url = new URL(`${baseUrlFor(request, settings)}${CALLBACK_PATH}`);
  url.search = new URL(request.url, 'http://here').search;
  const person = await provider.identify(url, checks);
  if (isLinking && session !== null) {
    request.actor = session;
    return linkPerson(db, person, session);
  }
  const policy = { signUp: settings.signUp, invitation: invitation ?? undefined };
  await enter(parts, exchange, await signInPerson(db, person, policy, browserOf(parts, request)), session);
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
  log.warn({ reason: messageOf(error), cause }, 'Signing in with the OpenID Connect provider failed');
  return null;
}

/** Returns a given path of this service, with its query and fragment; `/` for any other text. */
function pathFrom({ settings }: AuthParts, request: FastifyRequest, text: string): string {
  const base = baseUrlFor(request, settings);
  const url = text.startsWith('/') ? URL.parse(text, base) : null;
  return url !== null && url.origin === new URL(base).origin ? url.pathname + url.search + url.hash : '/';
}

function signInPage({ settings }: AuthParts, request: FastifyRequest, query: Record<string, string>): string {
  return `${baseUrlFor(request, settings)}/sign-in?${new URLSearchParams(query)}`;
}

/** What the browser brings back from the provider, encrypted. */
const FLOW_COOKIE = 'sitewarden_oidc';
/** The purpose for which the cookie is encrypted. */
const FLOW_PURPOSE = 'OpenID Connect sign-in';
export const FLOW_MINUTES = 10;
/** Limits on the cookie's content: browsers keep 4 KiB. */
const RETURN_TO_CHARACTERS_MAX = 1_000;
const INVITATION_CHARACTERS_MAX = 100;

/** A sign-in that is under way at the provider. */
interface Flow {
  readonly checks: OidcChecks;
  /** In ms since 1970. */
  readonly startedAt: number;
  readonly returnTo: string;
  readonly invitation: string | null;
  /**
   * The browser's session when it left, since it does not send the cookie when another site redirects back; null if there was
   * none.
   */
  readonly session: Pick<SessionHolder, 'accountId' | 'sessionId'> | null;
  /** Whether to link the person to the account of the session, instead of signing in. */
  readonly isLinking: boolean;
}

/** Stores a new flow in the browser. Texts that are too long are cut. */
function keepFlow(
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
  const sealed = box.seal(JSON.stringify(flow), FLOW_PURPOSE).toString('base64url');
  // The provider, another site, leads back here.
  writeCookie({ ...exchange, settings }, FLOW_COOKIE, sealed, { sameSite: 'lax', maxAgeSeconds: FLOW_MINUTES * 60 });
}

/** Returns the flow that this browser has begun, and removes it from the browser; null if there is none, or it is too old. */
function takeFlow(parts: AuthParts, exchange: Pick<Exchange, 'request' | 'reply'>): Flow | null {
  const flow = readFlow(parts, exchange.request);
  clearCookie({ ...exchange, settings: parts.settings }, FLOW_COOKIE);
  return flow;
}

function readFlow({ box, settings }: AuthParts, request: FastifyRequest): Flow | null {
  const sealed = readCookie(request, settings, FLOW_COOKIE);
  const text = openOrNull(box, sealed === undefined ? null : Buffer.from(sealed, 'base64url'), FLOW_PURPOSE);
  if (text === null) return null;
  const flow: Flow = JSON.parse(text);
  return Date.now() - flow.startedAt <= FLOW_MINUTES * 60_000 ? flow : null;
}
