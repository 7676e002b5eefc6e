import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { ASKS_PASSWORD } from '../browser/apply-session.ts';
import { pageFailure } from '../browser/browser-fault.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import type { BrowserPage } from '../browser/page-slot.ts';
import type { Viewport } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { actionOf, type Login, type PageTest } from '../domain/login.ts';
import { addressOf, type LoginSession, type SessionCookie, type StorageEntries } from '../domain/login-session.ts';
import { looksLikeSignIn } from '../domain/session-urls.ts';
import { isNoAccess, ownOrigins, type SiteAccess } from '../domain/site-access.ts';
import { AppError } from '../platform/errors.ts';
import {
  endTimeoutMs,
  expectTimeoutMs,
  idleTimeoutMs,
  loginTimeoutMs,
  openTimeoutMs,
  pollMs,
  probeTimeoutMs,
  sessionCookiesMax,
  storageMaxCharacters,
  storedValueMaxCharacters,
} from './limits.ts';
import { isTrue, performStep, StepFault, type TakeCode, untilTrue } from './perform-step.ts';

/** Whose login it is. */
export interface LoginOwner {
  /** Logins of different owners share nothing in the browser. */
  readonly id: string;
  readonly access: SiteAccess & { readonly login: Login };
  readonly startingUrl: string;
  /** Where the starting URL leads; null if unknown yet. */
  readonly siteUrl: string | null;
  readonly viewport: Viewport;
}

export interface LoginMeans {
  readonly pool: Pick<BrowserPool, 'withPage'>;
  readonly takeCode: TakeCode;
  readonly signal: AbortSignal;
  /** Called after each step, also after the step that failed. */
  readonly onStep?: (page: BrowserPage, index: number) => Promise<void>;
}

export type LoginResult =
  | { readonly session: LoginSession }
  | {
      readonly failure: Failure;
      /** The index of the step that failed; null if all steps worked, or if the browser failed. */
      readonly step: number | null;
      /** Whether another attempt may work: nothing was wrong with the steps or the site. */
      readonly isTransient: boolean;
    };

/** Signs in to a site in the browser. @throws the signal's reason */
export async function runLogin(
  owner: LoginOwner,
  { pool, takeCode, signal, onStep }: LoginMeans,
): Promise<LoginResult> {
  const { login } = owner.access;
  try {
    return await pool.withPage(pageFor(owner, loginTimeoutMs, signal), async (browserPage, stepAside) => {
      const { page, cdp } = browserPage;
      const loginPages = new Set<string>();
      for (const [index, step] of login.steps.entries()) {
        try {
          await performStep(page, step, (key) => stepAside(() => takeCode(key)));
          if ('fill' in step) loginPages.add(addressOf(page.url()));
        } catch (error) {
          await onStep?.(browserPage, index);
          if (!(error instanceof StepFault)) throw error;
          const params = { step: index + 1, action: actionOf(step), why: error.failure };
          return failed({ code: 'login_step_failed', params }, index);
        }
        await onStep?.(browserPage, index);
      }
      const failure = await untilSignedIn(page, login.signed_in);
      await onStep?.(browserPage, login.steps.length - 1);
      if (failure !== null) return failed(failure, null);
      const { origin } = new URL(page.url());
      if (!ownOrigins(owner.startingUrl, owner.siteUrl).has(origin)) {
        return failed({ code: 'login_ends_elsewhere', params: { url: page.url() } }, null);
      }
      const storage = await storageOf(page);
      return {
        session: { cookies: await cookiesOf(cdp), origin, ...storage, url: page.url(), loginPages: [...loginPages] },
      };
    });
  } catch (error) {
    signal.throwIfAborted();
    return brokenOff(error);
  }
}

function pageFor({ id, access, viewport, ...site }: LoginOwner, timeLimitMs: number, signal: AbortSignal) {
  // Sites behind HTTP Basic can have a form, too.
  const others = { ...access, login: null };
  const origins = ownOrigins(site.startingUrl, site.siteUrl);
  const signIn = isNoAccess(others) ? undefined : { access: others, origins };
  return { purpose: 'crawl', viewport, cacheGroup: `login ${id}`, timeLimitMs, signal, signIn } as const;
}

function failed(failure: Failure, step: number | null, isTransient = false): LoginResult {
  return { failure, step, isTransient };
}

function brokenOff(error: unknown): LoginResult {
  const isBrowserMissing = error instanceof AppError;
  const { failure, permanent } = pageFailure(error, { work: 'login', timeLimitMs: loginTimeoutMs });
  // The messages of other errors may contain what was entered.
  const isKnown = isBrowserMissing || failure.code !== 'page_work_stopped';
  const why: Failure = isBrowserMissing ? { code: 'browser_unavailable', params: { text: error.message } } : failure;
  return failed(
    { code: 'login_broke_off', params: { why: isKnown ? why : { code: 'page_given_up', params: {} } } },
    null,
    !permanent,
  );
}

/** Waits until the last page shows that the login has worked. @returns the failure if it does not */
async function untilSignedIn(page: Page, test: PageTest | null): Promise<Failure | null> {
  const notSignedIn = (): Failure => ({ code: 'login_not_signed_in', params: { url: page.url() } });
  if (test !== null) {
    try {
      await untilTrue(page, test, endTimeoutMs);
    } catch (error) {
      if (!(error instanceof StepFault)) throw error;
      return notSignedIn();
    }
  } else {
    const deadline = performance.now() + endTimeoutMs;
    while (await isLoginPage(page)) {
      if (performance.now() > deadline) return notSignedIn();
      await delay(pollMs);
    }
  }
  await page.waitForLoadState('networkidle', { timeout: idleTimeoutMs }).catch(() => undefined);
  return test === null && (await isLoginPage(page)) ? notSignedIn() : null;
}

/** Whether a page asks for a login. While it is being replaced, it counts as a login page. */
async function isLoginPage(page: Page): Promise<boolean> {
  return looksLikeSignIn(page.url()) || (await page.evaluate(ASKS_PASSWORD).catch(() => true)) === true;
}

/**
 * Returns whether a session has not ended: opens the page at the end of the login, and looks whether it is as it was then.
 * @throws the signal's reason
 */
export async function isSessionAlive(
  owner: LoginOwner,
  session: LoginSession,
  { pool, signal }: Pick<LoginMeans, 'pool' | 'signal'>,
): Promise<boolean> {
  const origins = ownOrigins(owner.startingUrl, owner.siteUrl);
  const signIn = { access: owner.access, origins, session };
  const request = { ...pageFor(owner, probeTimeoutMs, signal), signIn };
  try {
    return await pool.withPage(request, async ({ page }) => {
      const response = await page.goto(session.url, { waitUntil: 'domcontentloaded', timeout: openTimeoutMs });
      if (response?.status() === 401) return false;
      await page.waitForLoadState('networkidle', { timeout: idleTimeoutMs }).catch(() => undefined);
      const { signed_in: test } = owner.access.login;
      if (test === null) return !(await isLoginPage(page));
      if (await isTrue(page, test)) return true;
      return untilTrue(page, test, expectTimeoutMs).then(
        () => true,
        () => false,
      );
    });
  } catch {
    signal.throwIfAborted();
    // Another login shows what is wrong.
    return false;
  }
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
