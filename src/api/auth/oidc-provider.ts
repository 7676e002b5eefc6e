import * as oidc from 'openid-client';
import { boundedFetch } from '../../egress/bounded-fetch.ts';
import { shareAnswer } from '../../platform/share-answer.ts';

/** Seconds that a request to the provider may take. */
const REQUEST_TIMEOUT_S = 10;
/** How long the provider's metadata is used, such as the address of its keys. */
const METADATA_MAX_AGE_MS = 3_600_000;
const SCOPE = 'openid email profile';

export interface OidcSettings {
  /** Null: no provider. In this case, the other settings are also null. */
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  /** What people call the provider; null: the host of its issuer. */
  readonly oidcName: string | null;
}

/** Returns what people call the provider; null if there is none. */
export function providerName({ oidcIssuer, oidcName }: Pick<OidcSettings, 'oidcIssuer' | 'oidcName'>): string | null {
  return oidcIssuer === null ? null : (oidcName ?? new URL(oidcIssuer).host);
}

/** What the response to an authorization request must match. Only the browser that made the request has these values. */
export interface OidcChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The identity of a user at the provider. */
export interface OidcPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  /** Null if the provider sends no address, or has not verified that it belongs to the user. */
  readonly email: string | null;
}

/** An OpenID Connect provider, used by the authorization code flow with PKCE. */
export interface OidcProvider {
  /** Returns where to send the browser. @throws what `fetch` or openid-client throws */
  authorize(redirectUri: string): Promise<{ readonly url: URL; readonly checks: OidcChecks }>;
  /**
   * Returns the identity of the person who came back.
   * @param url that the browser was sent to
   * @throws OidcRefused if the provider reports that it was refused; what `fetch` or openid-client throws
   */
  identify(url: URL, checks: OidcChecks): Promise<OidcPerson>;
}

/** The person or the provider refused. */
export class OidcRefused extends Error {
  override readonly name = 'OidcRefused';
}

/** @returns null if the settings name none */
export function createOidcProvider({ oidcIssuer, oidcClientId, oidcClientSecret }: OidcSettings): OidcProvider | null {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) return null;
  const ask = () => discover(new URL(oidcIssuer), oidcClientId, oidcClientSecret);
  const configure = shareAnswer(ask, METADATA_MAX_AGE_MS);

  return {
    async authorize(redirectUri) {
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
      const url = oidc.buildAuthorizationUrl(await configure(), {
        redirect_uri: redirectUri,
        scope: SCOPE,
        ...{ state, nonce },
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url, checks: { state, nonce, verifier } };
    },
    async identify(url, { state, nonce, verifier }) {
      const config = await configure();
      const expected = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await oidc.authorizationCodeGrant(config, url, expected).catch((cause: unknown) => {
        if (!(cause instanceof oidc.AuthorizationResponseError)) throw cause;
        throw new OidcRefused(cause.error, { cause });
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The provider sent no ID token.');
      // Many providers put the address only there.
      const asks = claims['email'] === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
      const info = asks ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
      return personOf({ ...info, ...claims });
    },
  };
}

function personOf(claims: oidc.IDToken): OidcPerson {
  const { iss: issuer, sub: subject, name, email, email_verified: isVerified } = claims;
  const isOwn = typeof email === 'string' && isVerified === true;
  return { issuer, subject, name: typeof name === 'string' ? name : '', email: isOwn ? email : null };
}

async function discover(issuer: URL, clientId: string, secret: string): Promise<oidc.Configuration> {
  // The setting allows http on this machine only.
  const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  const options = { execute, timeout: REQUEST_TIMEOUT_S, [oidc.customFetch]: boundedFetch as oidc.CustomFetch };
  const basic = await oidc.discovery(issuer, clientId, secret, oidc.ClientSecretBasic(secret), options);
  // The default if a provider does not state what it supports (OpenID Connect Discovery 1.0, section 3).
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = basic.serverMetadata();
  if (methods.includes('client_secret_basic')) return basic;
  return oidc.discovery(issuer, clientId, secret, oidc.ClientSecretPost(secret), options);
}
