import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { changeOwnProfile } from '../../accounts/profile.ts';
import { changePassword } from '../../accounts/sign-in.ts';
import { forgetFormerAddress } from '../../store/sessions.ts';
import { type AuthParts, answerSignedIn, browserOf, requireSession, whoIs } from './auth-parts.ts';
import { GIVEN_PASSWORD, NAME, NEW_EMAIL, NEW_PASSWORD, readFields } from './fields.ts';

const PASSWORD = Type.Object({ current_password: Type.Optional(GIVEN_PASSWORD), new_password: NEW_PASSWORD });
const PROFILE = Type.Object({
  name: Type.Optional(NAME),
  email: Type.Optional(NEW_EMAIL),
  current_password: Type.Optional(GIVEN_PASSWORD),
});

/** Changing one's own name, e-mail address and password. */
export function ownAccountRoutes(server: FastifyInstance, parts: AuthParts): void {
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
    const { current_password: password, new_password: next } = readFields(PASSWORD, request.body);
    const session = await changePassword(parts, current, { current: password, next }, browserOf(parts, request));
    return answerSignedIn(parts, { request, reply }, session);
  });
}
