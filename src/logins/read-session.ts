import type { CDPSession, Page } from 'playwright-core';
import type { BrowserPage } from '../browser/page-slot.ts';
import {
  addressOf,
  type LoginSession,
  type SessionCookie,
  type StorageEntries,
  sessionCookiesMax,
} from '../domain/login-session.ts';
import { expectTimeoutMs, storageMaxCharacters, storedValueMaxCharacters } from './limits.ts';

/** A field that a login has filled in order to sign in. */
export interface FilledField {
  /** The URL of its page. */
  readonly url: string;
  /** Its name, or else its id; an empty string if it has neither. */
  readonly field: string;
}

/** Returns which field a step has filled. */
export async function filledField(page: Page, selector: string): Promise<FilledField> {
  const field = page.locator(`css=${selector}`).first();
  const name = await field.evaluate(NAME, null, { timeout: expectTimeoutMs }).catch(() => '');
  return { url: page.url(), field: name };
}

const NAME = ({ name = '', id }: { readonly name?: string; readonly id: string }): string => name || id;

/** Returns the session that a login has begun, on its last page. */
export async function readSession({ page, cdp }: BrowserPage, filled: readonly FilledField[]): Promise<LoginSession> {
  const url = page.url();
  const end = new Set((await page.evaluate<string>(FIELDS).catch(() => '')).split('\n'));
  const loginPages = new Set(filled.map((each) => addressOf(each.url)));
  // An application may show its form at the same address.
  loginPages.delete(addressOf(url));
  const fields = new Set(filled.map(({ field }) => field));
  return {
    cookies: await cookiesOf(cdp),
    origin: new URL(url).origin,
    ...(await storageOf(page)),
    url: withoutCodes(url),
    loginPages: [...loginPages],
    loginFields: [...fields].filter((field) => field !== '' && !end.has(field)),
    hasPasswordField: (await page.evaluate<boolean>(HAS_PASSWORD_FIELD).catch(() => false)) === true,
  };
}

/** The names, or else the ids, of all fields of a page, one a line. */
const FIELDS = `[...document.querySelectorAll('input, textarea')].map((field) => field.name || field.id).join('\\n')`;
const HAS_PASSWORD_FIELD = `document.querySelector('input[type=password]') !== null`;

/** Identity providers add codes that can be used once (RFC 6749, 4.1.2). Without them, the page can be opened again. */
const CODES = ['code', 'state', 'session_state', 'iss', 'id_token', 'access_token'];

function withoutCodes(url: string): string {
  const clean = new URL(url);
  for (const name of CODES) clean.searchParams.delete(name);
  if (CODES.some((name) => clean.hash.includes(`${name}=`))) clean.hash = '';
  return clean.href;
}

async function cookiesOf(cdp: CDPSession): Promise<readonly SessionCookie[]> {
  const { cookies } = await cdp.send('Network.getAllCookies');
  return cookies.slice(0, sessionCookiesMax).map((cookie) => ({
    ...{ name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path },
    ...{ httpOnly: cookie.httpOnly, secure: cookie.secure, sameSite: cookie.sameSite ?? null },
    expires: cookie.session ? null : cookie.expires,
    port: cookie.sourcePort > 0 ? cookie.sourcePort : null,
  }));
}

async function storageOf(page: Page): Promise<Pick<LoginSession, 'localStorage' | 'sessionStorage'>> {
  const read: unknown = JSON.parse(String(await page.evaluate(STORAGE)));
  const [local, session]: readonly unknown[] = Array.isArray(read) ? read : [];
  return { localStorage: kept(local), sessionStorage: kept(session) };
}

const STORAGE = `JSON.stringify([Object.entries({ ...localStorage }), Object.entries({ ...sessionStorage })])`;

/** Keeps as many entries as there is space for. */
function kept(entries: unknown): StorageEntries {
  let left = storageMaxCharacters;
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  return list.flatMap((entry): [string, string][] => {
    const [name, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof name !== 'string' || typeof value !== 'string' || value.length > storedValueMaxCharacters) return [];
    left -= name.length + value.length;
    return left < 0 ? [] : [[name, value]];
  });
}
