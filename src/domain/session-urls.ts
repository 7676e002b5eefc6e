/** Recognizes login and logout URLs by their words. */

const SIGN_OUT = /^(?:(?:special:)?user|customer|member)?[-_.]?(?:log|sign)[-_]?(?:out|off)$/i;
const SIGN_IN =
  /^(?:(?:special:)?user|customer|member|wp|admin)?[-_.]?(?:(?:log|sign)[-_]?(?:in|on)|sso|authenticate|authorize)$/i;

/** Parameters whose value is an action, such as `action=logout`. `next=/logout` is not one. */
const ACTION = /^(?:action|act|cmd|command|do|logintype|mode|op|page|route|task|title)$/i;

/**
 * Returns whether a normalized URL looks like a logout: the last segment of its path, without an extension, or an action in its
 * query is `logout`, `log-out`, `signoff` and so on, ignoring case.
 */
export function signsOut(url: string): boolean {
  const { segments, actions } = wordsOf(url);
  return [...segments.slice(-1), ...actions].some((word) => SIGN_OUT.test(word));
}

/** Returns whether a URL looks like a login page. */
export function looksLikeSignIn(url: string): boolean {
  const { segments, actions } = wordsOf(url);
  return [...segments, ...actions].some((word) => SIGN_IN.test(word));
}

/** Returns the segments of the path without extensions, and the actions in the query. */
function wordsOf(url: string): { readonly segments: readonly string[]; readonly actions: readonly string[] } {
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const actions = [...searchParams].map(([name, value]) => (ACTION.test(name) ? lastWord(value) : name));
  return { segments: segments.map((segment) => segment.replace(/\.[a-z]{2,6}$/i, '')), actions };
}

/** Returns `logout` for `user.logout` and `user/logout`. */
function lastWord(value: string): string {
  return value.slice(Math.max(value.lastIndexOf('.'), value.lastIndexOf('/')) + 1);
}
