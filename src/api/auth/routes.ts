import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { changeOwnProfile } from '../../accounts/profile.ts';
import { signUpWithPassword } from '../../accounts/register.ts';
import { endSession } from '../../accounts/sessions.ts';
import { changePassword, signIn } from '../../accounts/sign-in.ts';
import { networkOf } from '../../accounts/sign-in-attempts.ts';
import { findLink, redeemLink } from '../../accounts/sign-in-links.ts';
import { notFound } from '../../platform/errors.ts';
import { utcTime } from '../../platform/utc-time.ts';
import { findInvitation } from '../../store/accounts/guest-accounts.ts';
import { deleteOtherSessions, forgetFormerAddress, selectSessions } from '../../store/accounts/sessions.ts';
import { readJsonBodies } from '../http/body.ts';
import { authRequestsPerMinute } from '../http/limits.ts';
import { isRead } from '../http/links.ts';
import { limitRequests } from '../http/request-rate.ts';
import { clearCookie, requireOwnOrigin, SESSION_COOKIE, sessionOf } from '../http/session-cookie.ts';
import { type AuthParts, answerSignedIn, browserOf, requireSession, whoIs } from './auth-parts.ts';
import {
  GIVEN_EMAIL,
  GIVEN_PASSWORD,
  INVITATION,
  NAME,
  NEW_EMAIL,
  NEW_PASSWORD,
  readFields,
  withPointer,
} from './fields.ts';
import { oidcRoutes } from './oidc-routes.ts';

/** Plugin for everything below `/auth`: signing in and up, for browsers (`docs/sign-in.md`). */
export function auth(server: FastifyInstance, parts: AuthParts, done: () => void): void {
  const admit = limitRequests<string>(authRequestsPerMinute, 'address', { exchange: parts.requestCounts });
  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    admit(networkOf(request.ip));
    // Even before there is a session: another site must not sign the browser in as another user.
    if (!isRead(request)) requireOwnOrigin(request, parts.settings);
  });
  server.setErrorHandler((error) => {
    throw withPointer(error);
  });
  readJsonBodies(server);
  sessionRoutes(server, parts);
  ownAccountRoutes(server, parts);
  welcomeRoutes(server, parts);
  signUpRoutes(server, parts);
  oidcRoutes(server, parts);
  done();
}

const CREDENTIALS = Type.Object({ email: GIVEN_EMAIL, password: GIVEN_PASSWORD });
const SESSION_ID = /^[1-9]\d{0,14}$/;

/** Signing in and out, and the list of sessions. */
function sessionRoutes(server: FastifyInstance, parts: AuthParts): void {
  const { db, settings } = parts;

  server.get('/auth/session', async (request) => whoIs(db, await sessionOf(db, request, settings)));

  server.post('/auth/sign-in', async (request, reply) => {
    const credentials = readFields(CREDENTIALS, request.body);
    const session = await signIn(parts, credentials, browserOf(parts, request), (accountId) => {
      request.attemptedAccountId = accountId;
    });
    return answerSignedIn(parts, { request, reply }, session);
  });

  server.post('/auth/sign-out', async (request, reply) => {
    const session = await sessionOf(db, request, settings);
    if (session !== undefined) await endSession(db, session.accountId, session.sessionId);
    clearCookie({ request, reply, settings }, SESSION_COOKIE);
    return reply.code(204).send();
  });

  server.get('/auth/sessions', async (request) => {
    const { accountId, sessionId } = await requireSession(parts, request);
    const sessions = await selectSessions(db, accountId);
    return {
      sessions: sessions.map(({ id, user_agent, inserted_at, last_seen_at, expires_at }) => ({
        id: String(id),
        inserted_at: utcTime(inserted_at),
        last_seen_at: utcTime(last_seen_at),
        expires_at: utcTime(expires_at),
        user_agent,
        current: id === sessionId,
      })),
    };
  });

  server.delete<{ Params: { session_id: string } }>('/auth/sessions/:session_id', async (request, reply) => {
    const { accountId, sessionId } = await requireSession(parts, request);
    const { session_id: id } = request.params;
    if (!SESSION_ID.test(id)) throw notFound('session');
    await endSession(db, accountId, Number(id));
    if (Number(id) === sessionId) clearCookie({ request, reply, settings }, SESSION_COOKIE);
    return reply.code(204).send();
  });

  server.delete('/auth/sessions', async (request, reply) => {
    const { accountId, sessionId } = await requireSession(parts, request);
    await deleteOtherSessions(db, accountId, sessionId);
    return reply.code(204).send();
  });
}

const PASSWORD_CHANGE = Type.Object({ current_password: Type.Optional(GIVEN_PASSWORD), new_password: NEW_PASSWORD });
const PROFILE = Type.Object({
  name: Type.Optional(NAME),
  email: Type.Optional(NEW_EMAIL),
  current_password: Type.Optional(GIVEN_PASSWORD),
});

/** Changing the name, email address and password of the signed-in account. */
function ownAccountRoutes(server: FastifyInstance, parts: AuthParts): void {
  const { db } = parts;

  server.patch('/auth/account', async (request) => {
    const session = await requireSession(parts, request);
    const { name, email, current_password: password } = readFields(PROFILE, request.body);
    await changeOwnProfile(parts, session, { name: name?.trim(), email: email?.trim() }, password);
    return whoIs(db, session);
  });

  server.delete('/auth/session/former_email', async (request, reply) => {
    await forgetFormerAddress(db, (await requireSession(parts, request)).sessionId);
    return reply.code(204).send();
  });

  server.post('/auth/password', async (request, reply) => {
    const current = await requireSession(parts, request);
    const { current_password: password, new_password: next } = readFields(PASSWORD_CHANGE, request.body);
    const session = await changePassword(parts, current, { current: password, next }, browserOf(parts, request));
    return answerSignedIn(parts, { request, reply }, session);
  });
}

const PASSWORD = Type.Object({ password: NEW_PASSWORD });
const OWNER = Type.Object({ name: NAME, email: NEW_EMAIL, password: NEW_PASSWORD });

interface WithSecret {
  readonly Params: { readonly secret: string };
}

/** Routes for the page behind a sign-in link: the link of the first run, or the link for a forgotten password. */
function welcomeRoutes(server: FastifyInstance, parts: AuthParts): void {
  server.get<WithSecret>('/auth/welcome/:secret', async ({ params }) => {
    const { forOwner, name, email, apiTokens } = await findLink(parts.db, params.secret);
    return { kind: forOwner ? 'owner' : 'password', name, email, api_tokens: apiTokens };
  });

  server.post<WithSecret>('/auth/welcome/:secret', async (request, reply) => {
    const { secret } = request.params;
    const { forOwner } = await findLink(parts.db, secret);
    const choice = forOwner ? asOwner(request.body) : { ...readFields(PASSWORD, request.body), profile: null };
    const session = await redeemLink(parts, secret, choice, browserOf(parts, request));
    return answerSignedIn(parts, { request, reply }, session);
  });
}

function asOwner(body: unknown) {
  const { name, email, password } = readFields(OWNER, body);
  return { password, profile: { name: name.trim(), email: email.trim() } };
}

const NEWCOMER = Type.Object({
  name: NAME,
  email: NEW_EMAIL,
  password: NEW_PASSWORD,
  invitation: Type.Optional(INVITATION),
});

/** The state of an invitation for the person who opens it. */
type InvitationState = 'open' | 'taken' | 'own' | 'accepted';

/** Creating an account, with or without an invitation. Signed-in people accept invitations through the API. */
function signUpRoutes(server: FastifyInstance, parts: AuthParts): void {
  const { db, passwords, settings } = parts;

  server.post('/auth/accounts', async (request, reply) => {
    const { name, email, password, invitation } = readFields(NEWCOMER, request.body);
    const newcomer = { name: name.trim(), email: email.trim(), password, invitation };
    const session = await signUpWithPassword(
      { db, passwords, signUp: settings.signUp },
      newcomer,
      browserOf(parts, request),
    );
    return answerSignedIn(parts, { request, reply }, session, 201);
  });

  server.get<{ Params: { readonly secret: string } }>('/auth/invitations/:secret', async (request) => {
    const invitation = await findInvitation(db, request.params.secret);
    if (invitation === undefined) throw notFound('invitation');
    const accountId = (await sessionOf(db, request, settings))?.accountId;
    const state = stateOf(invitation, accountId);
    return {
      state,
      host: { name: invitation.host_name },
      max_usage: invitation.max_usage,
      may_sign_up: state === 'open' && settings.signUp !== 'closed',
    };
  });
}

function stateOf(
  { host_id: host, guest_id: guest }: { readonly host_id: string; readonly guest_id: string | null },
  accountId: string | undefined,
): InvitationState {
  if (accountId === host) return 'own';
  if (guest === null) return 'open';
  return guest === accountId ? 'accepted' : 'taken';
}
