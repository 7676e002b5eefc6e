import type { FastifyInstance } from 'fastify';
import { readJsonBodies } from '../http/body.ts';
import { authRequestsPerMinute } from '../http/limits.ts';
import { limitRequests } from '../http/request-rate.ts';
import { requireOwnOrigin } from '../http/session-cookie.ts';
import type { AuthParts } from './auth-parts.ts';
import { withPointer } from './fields.ts';
import { oidcRoutes } from './oidc-routes.ts';
import { ownAccountRoutes } from './own-account-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { signUpRoutes } from './sign-up-routes.ts';
import { welcomeRoutes } from './welcome-routes.ts';

/** Plugin for everything below `/auth`: signing in and up, for browsers (`docs/sign-in.md`). */
export function auth(server: FastifyInstance, parts: AuthParts, done: () => void): void {
  const admit = limitRequests<string>(authRequestsPerMinute, 'address');
  server.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    admit(request.ip);
    // Also before there is a session: another site must not sign the browser in as somebody else.
    if (!['GET', 'HEAD'].includes(request.method)) requireOwnOrigin(request, parts.settings);
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
