import type { Page } from 'playwright-core';
import {
  type LoginSession,
  type SessionCookie,
  type StorageEntries,
  sessionCookiesMax,
} from '../domain/login-session.ts';
import type { SignIn } from '../domain/site-access.ts';
import type { DevtoolsSession } from './devtools-session.ts';
import { storageMaxCharacters, storedValueMaxCharacters } from './limits.ts';
import type { BrowserPage } from './page-slot.ts';

/** What a browser keeps of a page: cookies, and the storage of its origin. */
export type BrowserState = Pick<LoginSession, 'cookies' | 'origin' | 'localStorage' | 'sessionStorage'>;

export async function readState({ page, cdp }: BrowserPage): Promise<BrowserState> {
  return { cookies: await cookiesOf(cdp), origin: new URL(page.url()).origin, ...(await storageOf(page)) };
}

/** Returns the part of a state that an earlier state did not have. */
export function changedState(before: BrowserState, now: BrowserState): BrowserState {
  const known = new Set(before.cookies.map((cookie) => JSON.stringify([identityOf(cookie), cookie.value])));
  const changed = (entries: StorageEntries, earlier: StorageEntries): StorageEntries => {
    const values = new Map(earlier);
    return entries.filter(([name, value]) => values.get(name) !== value);
  };
  return {
    cookies: now.cookies.filter((cookie) => !known.has(JSON.stringify([identityOf(cookie), cookie.value]))),
    origin: now.origin,
    localStorage: changed(now.localStorage, before.localStorage),
    sessionStorage: changed(now.sessionStorage, before.sessionStorage),
  };
}

/** Returns a state without the entries that belong to credentials: they would replace the newer values of a renewed session. */
export function withoutSignIn(
  state: BrowserState,
  { access, session }: Pick<SignIn, 'access' | 'session'>,
): BrowserState {
  // The login may not know the ports of its cookies.
  const own = new Set(session?.cookies.map((cookie) => identityOf({ ...cookie, port: null })));
  const isOwn = (cookie: SessionCookie): boolean =>
    Object.hasOwn(access.cookies, cookie.name) || own.has(identityOf({ ...cookie, port: null }));
  const without = (entries: StorageEntries, ofLogin: StorageEntries = []): StorageEntries => {
    const names = new Set(state.origin === session?.origin ? ofLogin.map(([name]) => name) : []);
    return entries.filter(([name]) => !names.has(name));
  };
  return {
    cookies: state.cookies.filter((cookie) => !isOwn(cookie)),
    origin: state.origin,
    localStorage: without(state.localStorage, session?.localStorage),
    sessionStorage: without(state.sessionStorage, session?.sessionStorage),
  };
}

export function isEmptyState({ cookies, localStorage, sessionStorage }: BrowserState): boolean {
  return cookies.length + localStorage.length + sessionStorage.length === 0;
}

/**
 * Adds a state to another state of the same origin. From another origin, only the cookies are added. Leaves out the oldest
 * entries of a storage if there is no space for them.
 */
export function mergedState(state: BrowserState, added: BrowserState): BrowserState {
  const cookies = new Map([...state.cookies, ...added.cookies].map((cookie) => [identityOf(cookie), cookie]));
  const isSame = state.origin === added.origin;
  const merged = (entries: StorageEntries, more: StorageEntries): StorageEntries => {
    if (!isSame) return entries;
    // A map would leave a changed entry in the position of the earlier one.
    const renewed = new Set(more.map(([name]) => name));
    const newestFirst = [...entries.filter(([name]) => !renewed.has(name)), ...more].reverse();
    return withSpace(newestFirst).reverse();
  };
  return {
    cookies: [...cookies.values()].slice(0, sessionCookiesMax),
    origin: state.origin,
    localStorage: merged(state.localStorage, added.localStorage),
    sessionStorage: merged(state.sessionStorage, added.sessionStorage),
  };
}

function identityOf({ name, domain, path, port }: SessionCookie): string {
  return JSON.stringify([name, domain, path, port]);
}

/**
 * Gives a page the state that an earlier page has kept, before the page loads its document. Cookies that the browser rejects are
 * left out.
 */
export async function applyState(cdp: DevtoolsSession, state: BrowserState): Promise<void> {
  for (const cookie of state.cookies) await setCookie(cdp, cookie).catch(() => undefined);
  await cdp.send('Page.enable');
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: storingScript(state), runImmediately: false });
}

/** @throws Error when the browser rejects the cookie */
export async function setCookie(cdp: DevtoolsSession, cookie: SessionCookie): Promise<void> {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, port } = cookie;
  const isForSubdomains = domain.startsWith('.');
  const scheme = secure ? 'https' : 'http';
  const address = isForSubdomains
    ? { domain }
    : { url: `${scheme}://${domain}${port === null ? '' : `:${port}`}${path}` };
  const options = {
    ...(expires !== null && { expires }),
    ...(sameSite !== null && { sameSite }),
    ...(port !== null && { sourcePort: port }),
  };
  await cdp.send('Network.setCookie', { name, value, path, httpOnly, secure, ...address, ...options });
}

/** Returns the script that fills the storage of the state's origin before the scripts of a page run. */
export function storingScript({ origin, localStorage, sessionStorage }: Omit<BrowserState, 'cookies'>): string {
  const stored = JSON.stringify({ origin, localStorage, sessionStorage });
  return `(({ origin, localStorage: local, sessionStorage: session }) => {
    if (window !== window.top || location.origin !== origin) return;
    for (const [name, value] of local) localStorage.setItem(name, value);
    for (const [name, value] of session) sessionStorage.setItem(name, value);
  })(${stored});`;
}

async function cookiesOf(cdp: DevtoolsSession): Promise<readonly SessionCookie[]> {
  const { cookies } = await cdp.send('Network.getAllCookies');
  return cookies.slice(0, sessionCookiesMax).map((cookie) => ({
    ...{ name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path },
    ...{ httpOnly: cookie.httpOnly, secure: cookie.secure, sameSite: cookie.sameSite ?? null },
    expires: cookie.session ? null : cookie.expires,
    port: cookie.sourcePort > 0 ? cookie.sourcePort : null,
  }));
}

async function storageOf(page: Page): Promise<Pick<BrowserState, 'localStorage' | 'sessionStorage'>> {
  const read: unknown = JSON.parse(String(await page.evaluate(STORAGE)));
  const [local, session]: readonly unknown[] = Array.isArray(read) ? read : [];
  return { localStorage: kept(local), sessionStorage: kept(session) };
}

const STORAGE = `JSON.stringify([Object.entries({ ...localStorage }), Object.entries({ ...sessionStorage })])`;

function kept(entries: unknown): StorageEntries {
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const valid = list.flatMap((entry): [string, string][] => {
    const [name, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof name !== 'string' || typeof value !== 'string' || value.length > storedValueMaxCharacters) return [];
    return [[name, value]];
  });
  return withSpace(valid);
}

/** Returns as many of the first entries as there is space for. */
function withSpace(entries: StorageEntries): (readonly [name: string, value: string])[] {
  let left = storageMaxCharacters;
  return entries.filter(([name, value]) => {
    left -= name.length + value.length;
    return left >= 0;
  });
}
