import type { Failure } from './failures/failure.ts';
import { ACCESS_NAMES, type AccessName } from './failures/wording.ts';
import type { FailedPage, FetchedPage } from './fetched-page.ts';
import { looksLikeSignIn } from './session-urls.ts';
import type { SiteAccess } from './site-access.ts';

/** The kinds of credentials that a request sends, to be named in the failure if the site refuses access. */
export interface SentAccess {
  readonly names: readonly AccessName[];
  /** Whether the credentials include a cookie or a token, as after signing in on a login page. */
  readonly isSession: boolean;
}

/** @returns null if there are no credentials */
export function sentAccess({ basicAuth, headers, cookies, login = null }: SiteAccess): SentAccess | null {
  const hasHeaders = Object.keys(headers).length > 0;
  const hasCookies = Object.keys(cookies).length > 0;
  const given = { basic_auth: basicAuth !== null, headers: hasHeaders, cookies: hasCookies, login: login !== null };
  const names = ACCESS_NAMES.filter((name) => given[name]);
  return names.length === 0
    ? null
    : { names, isSession: hasCookies || login !== null || Object.hasOwn(headers, 'authorization') };
}

/**
 * Returns whether the response shows that the site did not know who requested it, although credentials were sent. A 403 does not
 * show this: signed-in visitors also get it for other users' pages.
 */
export function refusesCredentials({ refusesAccess, httpStatus }: FailedPage): boolean {
  return refusesAccess === true && httpStatus !== 403;
}

/** Records in a page whether it was requested with credentials that the site did not refuse. */
export function withSignIn<Page extends FetchedPage>(page: Page, sent: SentAccess | null): Page {
  if (page.kind === 'document') return { ...page, isSignedIn: sent !== null };
  if (page.kind !== 'failed') return page;
  return { ...page, isSignedIn: sent !== null && page.httpStatus !== null && !refusesCredentials(page) };
}

/**
 * Returns the failure of a request that a site refused by its status despite credentials; null for other statuses. A 401 is about
 * the credentials (RFC 9110, 15.5.2); a 403 may have any reason.
 */
export function refusalBy(status: number, { names }: SentAccess): Failure | null {
  const params = { status, names };
  if (status === 401) return { code: 'sign_in_not_accepted', params };
  return status === 403 ? { code: 'forbidden_despite_sign_in', params } : null;
}

/**
 * Returns whether a password field on this page suggests that the session has ended. This is a guess: pages for changing a
 * password have one, too. With a login, the session has already been checked, so there is nothing to guess.
 */
export function suggestsEndedSession(url: string, sent: SentAccess | null): sent is SentAccess {
  return sent?.isSession === true && !sent.names.includes('login') && !looksLikeSignIn(url);
}

/**
 * Returns the failure of a page that redirects to a login page despite credentials; null if it does not seem to redirect to one.
 * Without a session, such as with HTTP Basic alone, such redirects are normal.
 */
export function refusalByRedirect(url: string, location: string, { names, isSession }: SentAccess): Failure | null {
  if (!isSession || looksLikeSignIn(url) || !looksLikeSignIn(location)) return null;
  return { code: 'leads_to_sign_in', params: { url: location, names } };
}
