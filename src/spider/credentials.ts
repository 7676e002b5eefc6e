import { type SentAccess, sentAccess } from '../domain/access-refusal.ts';
import { accessHeaders, isNoAccess, ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';

/** What the requests of a crawl carry: what signs in to the site, and the user agent of the report's device. */
export interface Credentials {
  /** The headers for a request, their names in lower case. What signs in goes to the site's own origins alone. */
  headersFor(url: string): Readonly<Record<string, string>>;
  /** What a request signs in with; null where nothing is sent. */
  sentTo(url: string): SentAccess | null;
  /** The same for pages in the browser; undefined without any. */
  signIn(): SignIn | undefined;
  /** Tells where the starting URL has led. */
  moveTo(siteUrl: string): void;
}

export interface CredentialsOptions {
  readonly startingUrl: string;
  readonly siteUrl: string | null;
  /** Sent in place of the spider's own, with our product token after it; null or absent on the default device. */
  readonly userAgent?: string | null;
}

/** Cookies are sent as they were given: none that the site sets is kept. */
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
