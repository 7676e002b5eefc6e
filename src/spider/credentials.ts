import { type SentAccess, sentAccess } from '../domain/access-refusal.ts';
import type { Viewport } from '../domain/check.ts';
import type { LoginSession, SessionCookie } from '../domain/login-session.ts';
import { accessHeaders, isNoAccess, ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';
import type { HeaderPair } from '../egress/response-head.ts';

/** The headers that a crawl adds to its requests: the site credentials, and the user agent of the report's device. */
export interface Credentials {
  /** Takes the cookies of a response, if there is a session that the site may change. */
  received(url: string, headers: readonly HeaderPair[]): void;
  /** Returns the headers for a request, with names in lower case. Credentials are sent only to the site's own origins. */
  headersFor(url: string): Readonly<Record<string, string>>;
  /** Returns the credentials sent to a URL; null if none are. */
  sentTo(url: string): SentAccess | null;
  /** Returns the credentials for pages in the browser; undefined without any. */
  signIn(): SignIn | undefined;
  /** Sets the site to the place to which the starting URL has led. */
  moveTo(siteUrl: string): void;
}

export interface CredentialsOptions {
  readonly startingUrl: string;
  readonly siteUrl: string | null;
  /** Replaces the spider's own user agent, and ends with its product token; null or absent for the default device. */
  readonly userAgent?: string | null;
  /** The session of the report's login, and its cookies. */
  readonly session?: { readonly session: LoginSession; readonly jar: CookieJar } | undefined;
}

/** The cookies of a session, as the site changes them. */
export interface CookieJar {
  /** Returns the `Cookie` header for a URL; an empty string if no cookie belongs to it. */
  headerFor(url: string): string;
  /**
   * Takes the `Set-Cookie` headers of a response. Invalid cookies are ignored, as in browsers. The cookies of the login and the
   * newest of the others are kept.
   */
  receive(url: string, headers: readonly string[]): void;
  cookies(): readonly SessionCookie[];
  /** How many times a response has set a cookie. */
  changes(): number;
  /** Returns the values that responses have set since the last call. */
  takeNewValues(): readonly string[];
}

/**
 * Returns the user agent for requests of a report: the user agent of its device, followed by our own; null for the default
 * device.
 */
export function deviceUserAgent({ userAgent }: Pick<Viewport, 'userAgent'>, own: string): string | null {
  return userAgent === null ? null : `${userAgent} ${own}`;
}

/**
 * Returns the headers that a report adds to its requests, with names in lower case: to its own origins with the credentials, and
 * to all others without. Cookies are sent as given.
 */
export function requestHeaders(
  access: SiteAccess,
  userAgent: string | null,
): Readonly<Record<'inside' | 'elsewhere', Readonly<Record<string, string>>>> {
  const cookies = Object.entries(access.cookies).map(([name, value]) => `${name}=${value}`);
  const elsewhere = userAgent === null ? {} : { 'user-agent': userAgent };
  const cookie = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  return { elsewhere, inside: { ...elsewhere, ...accessHeaders(access), ...cookie } };
}

/** Without a session, cookies are sent as given: `Set-Cookie` is ignored. */
export function createCredentials(
  access: SiteAccess,
  { startingUrl, siteUrl, userAgent = null, session: signedIn }: CredentialsOptions,
): Credentials {
  const { inside, elsewhere } = requestHeaders(access, userAgent);
  const sent = sentAccess(access);
  let origins = ownOrigins(startingUrl, siteUrl);
  return {
    headersFor: (url) => {
      if (!origins.has(new URL(url).origin)) return elsewhere;
      return withCookies(inside, signedIn?.jar, url);
    },
    received(url, headers) {
      if (signedIn === undefined || !origins.has(new URL(url).origin)) return;
      const cookies = headers.flatMap(([name, value]) => (name === 'set-cookie' ? [value] : []));
      if (cookies.length > 0) signedIn.jar.receive(url, cookies);
    },
    sentTo: (url) => (origins.has(new URL(url).origin) ? sent : null),
    signIn: () => {
      if (isNoAccess(access)) return undefined;
      const session = signedIn && { ...signedIn.session, cookies: signedIn.jar.cookies() };
      return { access, origins, ...(session !== undefined && { session }) };
    },
    moveTo(finalUrl) {
      origins = ownOrigins(startingUrl, finalUrl);
    },
  };
}

/** Adds the cookies of a session to headers, which may already have others. */
export function withCookies(
  headers: Readonly<Record<string, string>>,
  jar: Pick<CookieJar, 'headerFor'> | undefined,
  url: string,
): Readonly<Record<string, string>> {
  const ofSession = jar?.headerFor(url) ?? '';
  if (ofSession === '') return headers;
  const given = headers['cookie'];
  return { ...headers, cookie: given === undefined ? ofSession : `${given}; ${ofSession}` };
}
