import type { Page } from 'playwright-core';
import { readState } from '../browser/browser-state.ts';
import type { BrowserPage } from '../browser/page-slot.ts';
import { addressOf, type LoginSession } from '../domain/login-session.ts';
import { expectTimeoutMs } from './limits.ts';

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

/** Reads the session that a login has begun, from the last page of the login. */
export async function readSession({ page, cdp }: BrowserPage, filled: readonly FilledField[]): Promise<LoginSession> {
  const url = page.url();
  const end = new Set((await page.evaluate<string>(FIELDS).catch(() => '')).split('\n'));
  const loginPages = new Set(filled.map((each) => addressOf(each.url)));
  // An application may show its login form at the same address.
  loginPages.delete(addressOf(url));
  const fields = new Set(filled.map(({ field }) => field));
  return {
    ...(await readState({ page, cdp })),
    url: withoutCodes(url),
    loginPages: [...loginPages],
    loginFields: [...fields].filter((field) => field !== '' && !end.has(field)),
    hasPasswordField: (await page.evaluate<boolean>(HAS_PASSWORD_FIELD).catch(() => false)) === true,
  };
}

/** The names, or else the ids, of all fields of a page, one per line. */
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
