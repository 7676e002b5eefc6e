import type { Failure } from './failures/failure.ts';
import { ACCESS_NAMES, type AccessName } from './failures/telling.ts';
import { looksLikeSignIn } from './session-urls.ts';
import type { SiteAccess } from './site-access.ts';

/** What a request signs in with, for the failures of sites that do not let it in. */
export interface SentAccess {
  readonly names: readonly AccessName[];
  /** Whether there is a cookie or a token among it, as those have who signed in on a page. */
  readonly isSession: boolean;
}

/** @returns null when there is nothing */
export function sentAccess({ basicAuth, headers, cookies }: SiteAccess): SentAccess | null {
  const hasHeaders = Object.keys(headers).length > 0;
  const hasCookies = Object.keys(cookies).length > 0;
  const given = { basic_auth: basicAuth !== null, headers: hasHeaders, cookies: hasCookies };
  const names = ACCESS_NAMES.filter((name) => given[name]);
  return names.length === 0 ? null : { names, isSession: hasCookies || Object.hasOwn(headers, 'authorization') };
}

/**
 * What an error status says to who has signed in; null for a status that does not refuse anybody. A 401 is about what was
 * sent (RFC 9110, 15.5.2); a 403 may have any reason.
 */
export function refusalBy(status: number, { names }: SentAccess): Failure | null {
  const params = { status, names };
  if (status === 401) return { code: 'sign_in_not_accepted', params };
  return status === 403 ? { code: 'forbidden_despite_sign_in', params } : null;
}

/**
 * Whether a field for a password on this page is a hint that nobody is signed in any more, which it is for who sends a
 * session. It stays a guess: pages on which a password is changed have one, too.
 */
export function wantsNoPassword(url: string, sent: SentAccess | null): sent is SentAccess {
  return sent?.isSession === true && !looksLikeSignIn(url);
}

/**
 * Says that a page leads who has signed in to a page to sign in on; null where it does not seem so. Without a session, such
 * as with HTTP Basic alone, that is what sites do.
 */
export function refusalByRedirect(url: string, location: string, { names, isSession }: SentAccess): Failure | null {
  if (!isSession || looksLikeSignIn(url) || !looksLikeSignIn(location)) return null;
  return { code: 'leads_to_sign_in', params: { url: location, names } };
}
