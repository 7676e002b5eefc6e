/** URLs by which people sign in and out, as far as their words tell. */

const SIGN_OUT = /^(?:(?:special:)?user|customer|member)?[-_.]?(?:log|sign)[-_]?(?:out|off)$/i;
const SIGN_IN =
  /^(?:(?:special:)?user|customer|member|wp|admin)?[-_.]?(?:(?:log|sign)[-_]?(?:in|on)|sso|authenticate|authorize)$/i;

/** Parameters in which sites name what is to be done, such as `action=logout`; `next=/logout` does nothing. */
const ACTION = /^(?:action|act|cmd|command|do|logintype|mode|op|page|route|task|title)$/i;

/**
 * Whether requesting a normalised URL plainly ends a session: the last part of its path, without an extension, or an
 * action in its query is `logout`, `log-out`, `signoff` and so on, whatever its case.
 */
export function signsOut(url: string): boolean {
  const { segments, actions } = wordsOf(url);
  return [...segments.slice(-1), ...actions].some((word) => SIGN_OUT.test(word));
}

/** Whether a URL looks like that of a page to sign in on. */
export function looksLikeSignIn(url: string): boolean {
  const { segments, actions } = wordsOf(url);
  return [...segments, ...actions].some((word) => SIGN_IN.test(word));
}

/** The parts of the path without extensions, and the names and values in the query that say what is to be done. */
function wordsOf(url: string): { readonly segments: readonly string[]; readonly actions: readonly string[] } {
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const actions = [...searchParams].map(([name, value]) => (ACTION.test(name) ? lastWord(value) : name));
  return { segments: segments.map((segment) => segment.replace(/\.[a-z]{2,6}$/i, '')), actions };
}

/** `logout` of `user.logout` and `user/logout`. */
function lastWord(value: string): string {
  return value.slice(Math.max(value.lastIndexOf('.'), value.lastIndexOf('/')) + 1);
}
