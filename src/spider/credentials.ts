import { type SentAccess, sentAccess } from '../domain/access-refusal.ts';
import { accessHeaders, isNoAccess, ownOrigins, type SignIn, type SiteAccess } from '../domain/site-access.ts';

/** What the requests of a crawl carry, so that the site lets them in. */
export interface Credentials {
  /** The headers for a request, their names in lower case; none where they must not be sent. */
  headersFor(url: string): Readonly<Record<string, string>>;
  /** What a request signs in with; null where nothing is sent. */
  sentTo(url: string): SentAccess | null;
  /** The same for pages in the browser; undefined without any. */
  signIn(): SignIn | undefined;
  /** Tells where the starting URL has led. */
  settle(siteUrl: string): void;
}

/** Cookies are sent as they were given: none that the site sets is kept. */
export function createCredentials(
  access: SiteAccess,
  { startingUrl, siteUrl }: { readonly startingUrl: string; readonly siteUrl: string | null },
): Credentials {
  const cookies = Object.entries(access.cookies).map(([name, value]) => `${name}=${value}`);
  const headers = { ...accessHeaders(access), ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }) };
  const sent = sentAccess(access);
  let origins = ownOrigins(startingUrl, siteUrl);
  return {
    headersFor: (url) => (origins.has(new URL(url).origin) ? headers : {}),
    sentTo: (url) => (origins.has(new URL(url).origin) ? sent : null),
    signIn: () => (isNoAccess(access) ? undefined : { access, origins }),
    settle(finalUrl) {
      origins = ownOrigins(startingUrl, finalUrl);
    },
  };
}
