import type { Cookie } from 'tough-cookie';
import type { SessionCookie } from '../domain/login-session.ts';
import type { CookieJar } from './credentials.ts';

const SAME_SITE = ['Strict', 'Lax', 'None'] as const;

/** Creates a jar. Loads `tough-cookie`, which few reports need, when it is called. */
export async function createCookieJar(cookies: readonly SessionCookie[]): Promise<CookieJar> {
  const { Cookie, CookieJar: Jar } = await import('tough-cookie');
  // Sites on this machine have no public suffix.
  const jar = new Jar(undefined, { rejectPublicSuffixes: false, allowSpecialUseDomain: true });
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
  return {
    headerFor: (url) => jar.getCookieStringSync(url),
    receive(url, headers) {
      const port = Number(new URL(url).port) || (url.startsWith('https:') ? 443 : 80);
      for (const header of headers) {
        const cookie = jar.setCookieSync(header, url, { ignoreError: true });
        if (cookie) ports.set(`${cookie.domain}\n${cookie.key}`, port);
      }
    },
    cookies: () => (jar.serializeSync()?.cookies ?? []).flatMap((stored) => asKept(Cookie.fromJSON(stored), ports)),
  };
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
