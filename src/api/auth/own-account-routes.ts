import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { changePassword } from '../../accounts/sign-in.ts';
import { type AuthParts, answerSignedIn, browserOf, requireSession } from './auth-parts.ts';
import { GIVEN_PASSWORD, NEW_PASSWORD, readFields } from './fields.ts';

const CHANGE = Type.Object({ current_password: Type.Optional(GIVEN_PASSWORD), new_password: NEW_PASSWORD });

/** Changing one's password. */
export function passwordRoutes(server: FastifyInstance, parts: AuthParts): void {
  server.post('/auth/password', async (request, reply) => {
    const current = await requireSession(parts, request);
    const { current_password: password, new_password: next } = readFields(CHANGE, request.body);
    const session = await changePassword(parts, current, { current: password, next }, browserOf(parts, request));
    return answerSignedIn(parts, { request, reply }, session);
  });
}
