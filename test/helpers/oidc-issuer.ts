import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A person at the provider. */
export interface IssuerPerson {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface TestIssuer {
  readonly settings: {
    readonly oidcIssuer: string;
    readonly oidcClientId: string;
    readonly oidcClientSecret: string;
  };
  /** Who sits at the browser; null refuses to sign in. */
  person: IssuerPerson | null;
  /** Lets browsers come back to this address. Call it once, before anyone signs in. */
  register(redirectUri: string): void;
  stop(): Promise<void>;
}

/**
 * A real OpenID Connect provider. Its sign-in page is completed at once, for `person`.
 * @param host under which browsers know it: to them, `localhost` and 127.0.0.1 are two sites
 */
export async function startIssuer(host: 'localhost' | '127.0.0.1' = '127.0.0.1'): Promise<TestIssuer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const oidcIssuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const [oidcClientId, oidcClientSecret] = ['sitewarden', 'a secret of the client'];
  const people = new Map<string, IssuerPerson>();
  const issuer: TestIssuer = {
    settings: { oidcIssuer, oidcClientId, oidcClientSecret },
    person: null,
    register(redirectUri) {
      const provider = new Provider(oidcIssuer, {
        clients: [{ client_id: oidcClientId, client_secret: oidcClientSecret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        cookies: { keys: ['a key'] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
        async loadExistingGrant({ oidc }) {
          const accountId = oidc.session?.accountId;
          const grant = new provider.Grant({
            ...(accountId !== undefined && { accountId }),
            ...(oidc.client !== undefined && { clientId: oidc.client.clientId }),
          });
          grant.addOIDCScope('openid email profile');
          await grant.save();
          return grant;
        },
      });
      const answer = provider.callback();
      server.on('request', (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
        const { person } = issuer;
        if (person !== null) people.set(person.sub, person);
        const result = person === null ? { error: 'access_denied' } : { login: { accountId: person.sub } };
        provider
          .interactionFinished(request, response, result)
          .catch((error: unknown) => response.destroy(error as Error));
      });
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}
