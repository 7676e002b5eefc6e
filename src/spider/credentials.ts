import { type SentAccess, sentAccess } from '../domain/access-refusal.ts';
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

/** Cookies are sent as given: `Set-Cookie` is ignored. */
export function createCredentials(
  access: SiteAccess,
  { startingUrl, siteUrl, userAgent = null }: CredentialsOptions,
): Credentials {
  const cookies = Object.entries(access.cookies).map(([name, value]) => `${name}=${value}`);
  const everywhere = userAgent === null ? {} : { 'user-agent': userAgent };
  const cookie = cookies.length === 0 ? {} : { cookie: cookies.join('; ') };
  const inside = { ...everywhere, ...accessHeaders(access), ...cookie };
  const sent = sentAccess(access);
  let origins = ownOrigins(startingUrl, siteUrl);
  return {
    headersFor: (url) => (origins.has(new URL(url).origin) ? inside : everywhere),
    sentTo: (url) => (origins.has(new URL(url).origin) ? sent : null),
    signIn: () => (isNoAccess(access) ? undefined : { access, origins }),
    moveTo(finalUrl) {
      origins = ownOrigins(startingUrl, finalUrl);
    },
  };
}
