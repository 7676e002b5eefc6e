import type { Journey } from './journey.ts';
import type { Login } from './login.ts';
import type { LoginSession } from './login-session.ts';
import type { Doubt } from './session-end.ts';

/** Credentials for a site. Secret: never shown, logged or exported. */
export interface SiteAccess {
  /** HTTP Basic credentials (RFC 7617). */
  readonly basicAuth: BasicAuth | null;
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** By name. */
  readonly cookies: Readonly<Record<string, string>>;
  /** How to sign in with a form; null or absent if the site is not signed in to with one. */
  readonly login?: Login | null;
  /** The journeys that have secrets, including their secrets; absent for none. */
  readonly journeys?: readonly Journey[];
}

export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** Credentials and the origins to which they may be sent. */
export interface SignIn {
  readonly access: SiteAccess;
  readonly origins: ReadonlySet<string>;
  /** The session that the login of the report began; absent without a login. */
  readonly session?: LoginSession | undefined;
  /** Called with each reason why the session seems to have ended. */
  readonly onDoubt?: (doubt: Doubt) => void;
  /** Whether changes that pages make to the storage of the session are kept from one document to the next. Default: false. */
  readonly keepsStorage?: boolean;
  /** Called with the URL of each blocked request; absent to block none. */
  readonly onBlockedWrite?: ((url: string) => void) | undefined;
}

export const NO_ACCESS: SiteAccess = { basicAuth: null, headers: {}, cookies: {} };

export function isNoAccess({ basicAuth, headers, cookies, login = null, journeys = [] }: SiteAccess): boolean {
  if (basicAuth !== null || login !== null || journeys.length > 0) return false;
  return Object.keys(headers).length + Object.keys(cookies).length === 0;
}

/** Returns whether pages are requested without credentials. Only journeys send the secrets of journeys. */
export function isNoPageAccess(access: SiteAccess): boolean {
  return isNoAccess({ ...access, journeys: [] });
}

/** Returns the headers of credentials, including HTTP Basic, without cookies. */
export function accessHeaders({ basicAuth, headers }: SiteAccess): Readonly<Record<string, string>> {
  if (basicAuth === null) return headers;
  const credentials = Buffer.from(`${basicAuth.username}:${basicAuth.password}`, 'utf8').toString('base64');
  return { ...headers, authorization: `Basic ${credentials}` };
}

/**
 * Returns the origins to which credentials may be sent: the starting URL's host and port, with and without `www.` unless its
 * redirects lead elsewhere. Plain http is included only if the starting URL uses it and does not redirect to https.
 * @param siteUrl the URL at the end of the starting URL's redirects; null if unknown yet
 */
export function ownOrigins(startingUrl: string, siteUrl: string | null): ReadonlySet<string> {
  const start = new URL(startingUrl);
  const site = siteUrl === null ? null : new URL(siteUrl);
  const twin = start.host.startsWith('www.') ? start.host.slice('www.'.length) : `www.${start.host}`;
  const hosts = site === null || site.host === twin ? [start.host, twin] : [start.host];
  const isPlain =
    start.protocol === 'http:' && (site === null || site.protocol === 'http:' || !hosts.includes(site.host));
  const schemes = isPlain ? ['https:', 'http:'] : ['https:'];
  // `www.` before an IP address is not a valid URL.
  const urls = hosts.flatMap((host) => schemes.map((scheme) => URL.parse(`${scheme}//${host}`)));
  return new Set(urls.flatMap((url) => (url === null ? [] : [url.origin])));
}

/** How a site knows who requests its pages: by a login form, or by HTTP Basic, headers or cookies. */
export const SIGNED_IN = ['login', 'credentials'] as const;
export type SignedIn = (typeof SIGNED_IN)[number];

/** Returns how pages are requested with credentials, and the name that the login enters before its first secret. */
export function signedInWith(access: SiteAccess): { readonly signedIn: SignedIn | null; readonly name: string | null } {
  const { login = null } = access;
  if (login === null) return { signedIn: isNoPageAccess(access) ? null : 'credentials', name: null };
  const secret = login.steps.findIndex((step) => 'secret' in step || 'totp' in step);
  const named = login.steps.slice(0, Math.max(0, secret)).findLast((step) => 'fill' in step && 'value' in step);
  return { signedIn: 'login', name: named !== undefined && 'value' in named ? named.value : null };
}
