import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { endSession } from '../../accounts/sessions.ts';
import { signIn } from '../../accounts/sign-in.ts';
import { AppError } from '../../platform/errors.ts';
import { deleteOtherSessions, selectSessions } from '../../store/sessions.ts';
import { clearCookie, SESSION_COOKIE, sessionOf } from '../http/session-cookie.ts';
import { timestamp } from '../jsonapi/document.ts';
import { type AuthParts, answerSignedIn, browserOf, requireSession, whoIs } from './auth-parts.ts';
import { GIVEN_EMAIL, GIVEN_PASSWORD, readFields } from './fields.ts';

const CREDENTIALS = Type.Object({ email: GIVEN_EMAIL, password: GIVEN_PASSWORD });
const SESSION_ID = /^[1-9]\d{0,14}$/;

/** Signing in and out, and the list of sessions. */
export function sessionRoutes(server: FastifyInstance, parts: AuthParts): void {
  const { db, settings } = parts;

  server.get('/auth/session', async (request) => whoIs(db, await sessionOf(db, request, settings)));

  server.post('/auth/sign-in', async (request, reply) => {
    const credentials = readFields(CREDENTIALS, request.body);
    return answerSignedIn(parts, { request, reply }, await signIn(parts, credentials, browserOf(parts, request)));
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
        inserted_at: timestamp(inserted_at),
        last_seen_at: timestamp(last_seen_at),
        expires_at: timestamp(expires_at),
        user_agent,
        current: id === sessionId,
      })),
    };
  });

  server.delete<{ Params: { session_id: string } }>('/auth/sessions/:session_id', async (request, reply) => {
    const { accountId, sessionId } = await requireSession(parts, request);
    const { session_id: id } = request.params;
    if (!SESSION_ID.test(id)) throw new AppError('not_found', 'There is no such session.');
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
