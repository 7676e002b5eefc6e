import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { findLink, redeemLink } from '../../accounts/sign-in-links.ts';
import { type AuthParts, answerSignedIn, browserOf } from './auth-parts.ts';
import { NAME, NEW_EMAIL, NEW_PASSWORD, readFields } from './fields.ts';

const PASSWORD = Type.Object({ password: NEW_PASSWORD });
const OWNER = Type.Object({ name: NAME, email: NEW_EMAIL, password: NEW_PASSWORD });

interface WithSecret {
  readonly Params: { readonly secret: string };
}

/** What the page of a link to sign in asks: the link of the first run, or of somebody who forgot the password. */
export function welcomeRoutes(server: FastifyInstance, parts: AuthParts): void {
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
