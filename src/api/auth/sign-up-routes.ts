import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { signUpWithPassword } from '../../accounts/register.ts';
import { AppError } from '../../platform/errors.ts';
import { findInvitation } from '../../store/guest-accounts.ts';
import { sessionOf } from '../http/session-cookie.ts';
import { type AuthParts, answerSignedIn, browserOf } from './auth-parts.ts';
import { INVITATION, NAME, NEW_EMAIL, NEW_PASSWORD, readFields } from './fields.ts';

const NEWCOMER = Type.Object({
  name: NAME,
  email: NEW_EMAIL,
  password: NEW_PASSWORD,
  invitation: Type.Optional(INVITATION),
});

/** What an invitation is to whoever opens it. */
type InvitationState = 'open' | 'taken' | 'own' | 'accepted';

/** Making an account, with or without an invitation. Signed-in people accept invitations through the API. */
export function signUpRoutes(server: FastifyInstance, parts: AuthParts): void {
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
    if (invitation === undefined) throw new AppError('not_found', 'There is no such invitation.');
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
