/** A cookie as browsers keep it. */
export interface SessionCookie {
  readonly name: string;
  readonly value: string;
  /** Begins with a dot if hosts below it get the cookie, too. */
  readonly domain: string;
  readonly path: string;
  /** Seconds since 1970; null for a cookie that is deleted when the browser closes. */
  readonly expires: number | null;
  readonly httpOnly: boolean;
  readonly secure: boolean;
  readonly sameSite: 'Strict' | 'Lax' | 'None' | null;
  /** The port of the server that set it; null if unknown. */
  readonly port: number | null;
}

/** Entries of a page's storage. */
export type StorageEntries = readonly (readonly [name: string, value: string])[];

/** What a browser keeps after a login. Secret: never shown, logged or exported. */
export interface LoginSession {
  readonly cookies: readonly SessionCookie[];
  /** The origin whose storage this is. */
  readonly origin: string;
  readonly localStorage: StorageEntries;
  readonly sessionStorage: StorageEntries;
  /** The page at the end of the login, which shows whether the session has ended. */
  readonly url: string;
  /**
   * The origin and path of the pages whose fields were filled, except the page at the end: redirects to them suggest that the
   * session has ended.
   */
  readonly loginPages: readonly string[];
  /** Names, or else ids, of the fields that were filled to sign in, except for fields that the page at the end has, too. */
  readonly loginFields: readonly string[];
  /** Whether the page at the end has a password field, perhaps hidden: then password fields suggest nothing. */
  readonly hasPasswordField: boolean;
}

/** Returns the origin and path of a URL. */
export function addressOf(url: string): string {
  const { origin, pathname, protocol } = new URL(url);
  return origin === 'null' ? protocol + pathname : origin + pathname;
}

/** Cookies that are kept from a login. Browsers allow more, but sites do not need that many for sessions. */
export const sessionCookiesMax = 200;

/** Maximum number of storage values that are masked. Applications also store text there, which is not secret. */
const storedSecretsMax = 200;
const storedSecretMinCharacters = 16;

/** Returns the values of a session that must not be shown: all cookies, and stored values that look like tokens. */
export function secretsOfSession({
  cookies,
  localStorage,
  sessionStorage,
}: Pick<LoginSession, 'cookies' | 'localStorage' | 'sessionStorage'>): string[] {
  const stored = [...localStorage, ...sessionStorage].flatMap(([, value]) => [value, ...textsInJson(value)]);
  return [...cookies.map(({ value }) => value), ...stored.filter(looksLikeToken).slice(0, storedSecretsMax)];
}

/** Returns whether a value has letters and digits, and no spaces; addresses are not tokens. */
function looksLikeToken(value: string): boolean {
  if (value.length < storedSecretMinCharacters || /[\s{]|:\/\//.test(value)) return false;
  return /\d/.test(value) && /[a-z]/i.test(value);
}

/** Returns the strings in a stored JSON value: sites store tokens in objects. */
function textsInJson(value: string): string[] {
  if (!/^[[{"]/.test(value)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(value, (_, inner: unknown) => {
      if (typeof inner === 'string') texts.push(inner);
      return null;
    });
  } catch {
    // Not JSON.
  }
  return texts;
}
