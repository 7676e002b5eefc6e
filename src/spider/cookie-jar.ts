import type { Cookie } from 'tough-cookie';
import { type SessionCookie, sessionCookiesMax } from '../domain/login-session.ts';
import type { CookieJar } from './credentials.ts';
import { cookieMaxCharacters, cookiesPerResponseMax, laterCookiesMax, laterCookiesMaxCharacters } from './limits.ts';

const SAME_SITE = ['Strict', 'Lax', 'None'] as const;

/**
 * Creates a jar. Loads `tough-cookie`, which few reports need, only when this function is called.
 * @param cookies of the login: the first `sessionCookiesMax` are never dropped for later ones, because the session depends on
 *   them
 */
export async function createCookieJar(cookies: readonly SessionCookie[]): Promise<CookieJar> {
  const { Cookie, CookieJar: Jar, MemoryCookieStore } = await import('tough-cookie');
  const store = new MemoryCookieStore();
  // Sites on this machine have no public suffix.
  const jar = new Jar(store, { rejectPublicSuffixes: false, allowSpecialUseDomain: true });
  const ports = new Map<string, number | null>();
  for (const { name, value, domain, path, expires, httpOnly, secure, sameSite, port } of cookies) {
    const host = domain.replace(/^\./, '');
    const cookie = new Cookie({
      ...{ key: name, value, domain: host, path, httpOnly, secure, hostOnly: !domain.startsWith('.') },
      ...(expires !== null && { expires: new Date(expires * 1_000) }),
      ...(sameSite !== null && { sameSite: sameSite.toLowerCase() }),
    });
    const url = `${secure ? 'https' : 'http'}://${host}${path}`;
    // A jar sets the domain of host-only cookies itself.
    if (!domain.startsWith('.')) cookie.domain = null;
    jar.setCookieSync(cookie, url, { ignoreError: true });
    ports.set(`${host}\n${name}`, port);
  }
  const first = new Set(cookies.slice(0, sessionCookiesMax).map(({ name, domain, path }) => idOf(name, domain, path)));
  const remove = ({ domain, path, key }: Cookie): void => {
    ports.delete(`${domain}\n${key}`);
    void store.removeCookie(domain ?? '', path ?? '/', key);
  };
  const later = createLaterCookies(remove);
  let changes = 0;
  let values: string[] = [];
  const take = (header: string, url: string, port: number): void => {
    const given = Cookie.parse(header);
    if (given === undefined || sizeOf(given) > cookieMaxCharacters) return;
    const cookie = jar.setCookieSync(given, url, { ignoreError: true });
    if (!cookie) return;
    changes += 1;
    values.push(cookie.value);
    ports.set(`${cookie.domain}\n${cookie.key}`, port);
    const id = idOf(cookie.key, cookie.domain ?? '', cookie.path ?? '/');
    if (!first.has(id)) later.add(id, cookie);
  };
  return {
    headerFor: (url) => jar.getCookieStringSync(url),
    receive(url, headers) {
      const port = Number(new URL(url).port) || (url.startsWith('https:') ? 443 : 80);
      for (const header of headers.slice(0, cookiesPerResponseMax)) take(header, url, port);
    },
    changes: () => changes,
    takeNewValues() {
      const taken = values;
      values = [];
      return taken;
    },
    cookies: () => (jar.serializeSync()?.cookies ?? []).flatMap((stored) => asKept(Cookie.fromJSON(stored), ports)),
  };
}

function idOf(name: string, domain: string, path: string): string {
  return `${domain.replace(/^\./, '')}\n${path}\n${name}`;
}

/** Limits the cookies that are set after the login, as browsers do: the oldest are removed. */
function createLaterCookies(remove: (cookie: Cookie) => void) {
  const kept = new Map<string, Cookie>();
  let characters = 0;
  const drop = (id: string): void => {
    const cookie = kept.get(id);
    if (cookie === undefined) return;
    kept.delete(id);
    characters -= sizeOf(cookie);
  };
  return {
    add(id: string, cookie: Cookie): void {
      drop(id);
      // Sites remove a cookie by setting it with an expiry in the past.
      if (cookie.TTL() <= 0) {
        remove(cookie);
        return;
      }
      kept.set(id, cookie);
      characters += sizeOf(cookie);
      for (const [oldest, old] of kept) {
        if (kept.size <= laterCookiesMax && characters <= laterCookiesMaxCharacters) return;
        drop(oldest);
        remove(old);
      }
    },
  };
}

function sizeOf({ key, value }: Cookie): number {
  return key.length + value.length;
}

/** Returns a cookie as browsers keep it; nothing for an invalid or expired cookie. */
function asKept(cookie: Cookie | undefined, ports: ReadonlyMap<string, number | null>): SessionCookie[] {
  const expires = cookie?.expiryTime() ?? Number.POSITIVE_INFINITY;
  if (cookie === undefined || cookie.domain === null || expires <= Date.now()) return [];
  const { key: name, value, domain, path, httpOnly, secure, hostOnly } = cookie;
  const ofHost =
    hostOnly === true
      ? { domain, port: ports.get(`${domain}\n${name}`) ?? null }
      : { domain: `.${domain}`, port: null };
  const sameSite = SAME_SITE.find((known) => known.toLowerCase() === cookie.sameSite) ?? null;
  const until = Number.isFinite(expires) ? Math.floor(expires / 1_000) : null;
  return [{ name, value, path: path ?? '/', httpOnly, secure, sameSite, expires: until, ...ofHost }];
}
