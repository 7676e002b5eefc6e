import type { LoginSession } from './login-session.ts';
import { addressOf } from './login-session.ts';
import { looksLikeSignIn } from './session-urls.ts';

/**
 * What suggests that the session of a login has ended. None of these signs is certain: the page at the end of the login decides.
 * - status: a 401 of the site itself
 * - resource: something that the page loads or links to leads to a login page
 * - missing: the page, or the target of one of its links, is hidden, as at sites that hide pages from signed-out visitors
 * - redirect: to a login page
 * - field: the page has a field that the login filled
 * - password: the page has a password field
 * - test: the page is not as `signed_in` describes the last page of the login
 */
export type EndSign = 'status' | 'resource' | 'missing' | 'redirect' | 'field' | 'password' | 'test';

/** A reason to doubt a session. */
export interface Doubt {
  readonly sign: EndSign;
  /** Where it was seen. */
  readonly url: string;
}

/** Whether sites that hide pages from signed-out visitors return this status for them. */
export function hidesPage(status: number | null): boolean {
  return status === 403 || status === 404 || status === 410;
}

/** Returns what doubts that repeatedly turn out alike have in common; null for doubts that are always followed up. */
export function habitOf({ sign, url }: Doubt): string | null {
  if (sign === 'redirect') return null;
  return sign === 'status' || sign === 'resource' ? `${sign} ${addressOf(url)}` : sign;
}

/** Returns what doubts with different addresses have in common, such as the requests of single pages. */
export function sortOf({ sign, url }: Doubt): string {
  return `${sign} ${URL.parse(url)?.origin ?? ''}`;
}

/** Returns whether a URL is where a person without a session is sent. */
export function leadsToLogin(
  { loginPages, origin }: Pick<LoginSession, 'loginPages' | 'origin'>,
  url: string,
): boolean {
  if (!URL.canParse(url)) return false;
  if (looksLikeSignIn(url) || loginPages.includes(addressOf(url))) return true;
  const target = new URL(url).origin;
  // The pages of an identity provider have different addresses each time.
  return target !== origin && loginPages.some((page) => new URL(page).origin === target);
}
