/** Recognizes login and logout URLs by their words. */

const SIGN_OUT = /^(?:(?:special:)?user|customer|member)?[-_.]?(?:log|sign)[-_]?(?:out|off)$/i;
/** Words for logging out in other languages, unless they also have another meaning. */
const SIGN_OUT_ABROAD =
  /^(?:abmelden|ausloggen|d[eé]connexion|se-d[eé]connecter|cerrar-?sesi[oó]n|desconectarse|uitloggen|(?:terminar|encerrar)-sess[aã]o|disconnetti(?:ti)?|wyloguj(?:-sie)?|odhl[aá]sit(?:-se)?|logga-?ut|logg-?ut|log-?ud|kirjaudu-ulos|kijelentkez[eé]s)$/i;

/** Texts of links that sign out, in lower case. */
export const SIGN_OUT_TEXTS: readonly string[] = [
  ...['log out', 'logout', 'log off', 'logoff', 'sign out', 'signout', 'sign off'],
  ...['abmelden', 'ausloggen', 'déconnexion', 'se déconnecter', 'cerrar sesión', 'desconectarse', 'salir'],
  ...['uitloggen', 'afmelden', 'sair', 'terminar sessão', 'encerrar sessão', 'esci', 'disconnetti', 'disconnettiti'],
  ...['wyloguj', 'wyloguj się', 'odhlásit', 'odhlásit se', 'logga ut', 'logg ut', 'log ud', 'kirjaudu ulos'],
  ...['kijelentkezés', 'deconectare', 'αποσύνδεση', 'çıkış', 'çıkış yap', 'oturumu kapat', 'выйти', 'выход', 'вийти'],
  ...['退出', '退出登录', '登出', 'ログアウト', '로그아웃', 'đăng xuất', 'تسجيل الخروج'],
];

/** Longer link texts are not examined. */
export const signOutTextMaxCharacters = 60;

/** Returns whether the text or the label of a link says that it signs out, in one of the usual languages. */
export function readsLikeSignOut(text: string): boolean {
  if (text.length > signOutTextMaxCharacters) return false;
  return SIGN_OUT_TEXTS.includes(text.replace(/\s+/g, ' ').trim().toLowerCase());
}
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
  return [...segments.slice(-1).map(decoded), ...actions].some(
    (word) => SIGN_OUT.test(word) || SIGN_OUT_ABROAD.test(word),
  );
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

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns `logout` for `user.logout` and `user/logout`. */
function lastWord(value: string): string {
  return value.slice(Math.max(value.lastIndexOf('.'), value.lastIndexOf('/')) + 1);
}
