import { looksLikeSignIn } from './session-urls.ts';
import type { SiteAccess } from './site-access.ts';

/** What a request signs in with, for the sentences about sites that do not let it in. */
export interface SentAccess {
  /** In the words of a report's attributes, such as `basic_auth, cookies`. */
  readonly names: string;
  /** Whether there is a cookie or a token among it, as those have who signed in on a page. */
  readonly isSession: boolean;
}

/** @returns null when there is nothing */
export function sentAccess({ basicAuth, headers, cookies }: SiteAccess): SentAccess | null {
  const hasHeaders = Object.keys(headers).length > 0;
  const hasCookies = Object.keys(cookies).length > 0;
  const names = [basicAuth === null ? '' : 'basic_auth', hasHeaders ? 'headers' : '', hasCookies ? 'cookies' : ''];
  const given = names.filter((name) => name !== '').join(', ');
  return given === '' ? null : { names: given, isSession: hasCookies || Object.hasOwn(headers, 'authorization') };
}

/**
 * What an error status says to who has signed in, to be put behind the sentence that names it; null for a status that does
 * not refuse anybody. A 401 is about what was sent (RFC 9110, 15.5.2); a 403 may have any reason.
 */
export function refusalBy(httpStatus: number, { names }: SentAccess): string | null {
  switch (httpStatus) {
    case 401:
      return `: the site does not accept what the report signs in with (${names}), or no longer does. Give it anew`;
    case 403:
      return `, although the report signs in (${names}). Perhaps that has expired or is not enough for this page, or the site keeps robots out`;
    default:
      return null;
  }
}

/** The same of a page whose redirects lead back to it. */
export function refusalByCircle({ names }: SentAccess): string {
  return `. Perhaps the site does not accept what the report signs in with (${names}), or waits for a cookie that it sets on the way: none of its own is kept`;
}

/** The same of a page that leads to where nothing that signs in is sent. */
export function refusalByOrigin(url: string, { names }: SentAccess): string {
  return `It leads to ${url}, another origin, to which nothing is sent that the report signs in with (${names}). Start from there to have it sent`;
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
export function refusalByRedirect(url: string, location: string, { names, isSession }: SentAccess): string | null {
  if (!isSession || looksLikeSignIn(url) || !looksLikeSignIn(location)) return null;
  return `The page leads to ${location}, which looks like a page to sign in on, although the report signs in (${names}). Perhaps that is not accepted, or no longer: give it anew`;
}
