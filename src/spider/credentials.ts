import { type SentAccess, sentAccess } from '../domain/access-refusal.ts';
import type { Viewport } from '../domain/check.ts';
import { accessHeaders, isNoAccess, ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';

/** The headers that a crawl adds to its requests: the site credentials, and the user agent of the report's device. */
export interface Credentials {
  /** Returns the headers for a request, with names in lower case. Credentials are sent only to the site's own origins. */
  headersFor(url: string): Readonly<Record<string, string>>;
  /** Returns the credentials sent to a URL; null if none are. */
  sentTo(url: string): SentAccess | null;
  /** Returns the credentials for pages in the browser; undefined without any. */
  signIn(): SignIn | undefined;
  /** Sets the site to where the starting URL has led. */
  moveTo(siteUrl: string): void;
}

export interface CredentialsOptions {
  readonly startingUrl: string;
  readonly siteUrl: string | null;
  /** Replaces the spider's own, and ends with its product token; null or absent for the default device. */
  readonly userAgent?: string | null;
}

/** Returns the user agent for requests of a report: its device's, followed by our own; null for the default device. */
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

/** Cookies are sent as given: `Set-Cookie` is ignored. */
export function createCredentials(
  access: SiteAccess,
  { startingUrl, siteUrl, userAgent = null }: CredentialsOptions,
): Credentials {
  const { inside, elsewhere } = requestHeaders(access, userAgent);
  const sent = sentAccess(access);
  let origins = ownOrigins(startingUrl, siteUrl);
  return {
    headersFor: (url) => (origins.has(new URL(url).origin) ? inside : elsewhere),
    sentTo: (url) => (origins.has(new URL(url).origin) ? sent : null),
    signIn: () => (isNoAccess(access) ? undefined : { access, origins }),
    moveTo(finalUrl) {
      origins = ownOrigins(startingUrl, finalUrl);
    },
  };
}
