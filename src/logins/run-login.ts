import type { Page } from 'playwright-core';
import { isBrowserMissing, pageFailure } from '../browser/browser-fault.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import type { BrowserPage } from '../browser/page-slot.ts';
import type { Viewport } from '../domain/check.ts';
import type { Failure } from '../domain/failures/failure.ts';
import type { AnyFailure } from '../domain/failures/wording.ts';
import { namedStep } from '../domain/journey.ts';
import type { Login } from '../domain/login.ts';
import type { LoginSession } from '../domain/login-session.ts';
import { isNoAccess, ownOrigins, type SiteAccess } from '../domain/site-access.ts';
import { expectTimeoutMs, idleTimeoutMs, loginTimeoutMs, openTimeoutMs, probeTimeoutMs } from './limits.ts';
import { type EnteredCode, isLoginPage, untilSignedIn } from './login-end.ts';
import { isTrue, performStep, StepFault, shownUrl, type TakeCode, untilTrue } from './perform-step.ts';
import { type FilledField, filledField, readSession } from './read-session.ts';

/** The owner of a login: a report or a test. */
export interface LoginOwner {
  /** Logins of different owners share nothing in the browser. */
  readonly id: string;
  readonly access: SiteAccess & { readonly login: Login };
  readonly startingUrl: string;
  /** Where the starting URL leads; null if unknown yet. */
  readonly siteUrl: string | null;
  readonly viewport: Viewport;
  /** Whether pages must not change anything outside of the steps. */
  readonly blocksWrites?: boolean;
}

export interface LoginMeans {
  readonly pool: Pick<BrowserPool, 'withPage'>;
  readonly takeCode: TakeCode;
  readonly signal: AbortSignal;
  /** Whether the same login has worked before, so that its selectors are right. Default: false */
  readonly hasWorked?: boolean;
  /** Called after each step, including a step that failed. */
  readonly onStep?: (page: BrowserPage, index: number) => Promise<void>;
}

export type LoginResult =
  | { readonly session: LoginSession }
  | {
      readonly failure: Failure;
      /** The index of the step that failed; null if all steps worked, or if the browser failed. */
      readonly step: number | null;
      /**
       * Whether another attempt may work and does no harm: the site was down or the browser failed before the site got a secret.
       */
      readonly isTransient: boolean;
    };

/** Signs in to a site in the browser. @throws the signal's reason, and AppError if the browser cannot be started */
export async function runLogin(owner: LoginOwner, means: LoginMeans): Promise<LoginResult> {
  const { pool, signal, onStep, hasWorked = false } = means;
  const { login } = owner.access;
  const progress: Progress = { filled: [], code: null, hasEnteredSecret: false, hasSubmitted: false };
  try {
    return await pool.withPage(pageFor(owner, loginTimeoutMs, signal), async (browserPage, stepAside) => {
      await withoutCache(browserPage);
      const { page } = browserPage;
      const takeCode = (key: string): Promise<string> => stepAside(() => means.takeCode(key, signal));
      for (const index of login.steps.keys()) {
        const failure = await tryStep({ page, login, index, takeCode, progress });
        await onStep?.(browserPage, index);
        if (failure === null) continue;
        const isTransient = !progress.hasEnteredSecret && isOfSite(failure.params.why, hasWorked);
        return failed(failure, index, isTransient);
      }
      const failure = await untilSignedIn(page, login.signed_in, progress.code);
      await onStep?.(browserPage, login.steps.length - 1);
      if (failure !== null) return failed(failure, null);
      if (!ownOrigins(owner.startingUrl, owner.siteUrl).has(new URL(page.url()).origin)) {
        return failed({ code: 'login_ends_elsewhere', params: { url: shownUrl(page) } }, null);
      }
      return { session: await readSession(browserPage, progress.filled) };
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isBrowserMissing(error)) throw error;
    return brokenOff(error, progress);
  }
}

/** What a login has done so far. */
interface Progress {
  readonly filled: FilledField[];
  /** Where a one-time password was entered; null if none was. */
  code: EnteredCode | null;
  hasEnteredSecret: boolean;
  /** Whether the site may have received a secret. */
  hasSubmitted: boolean;
}

interface LoginStepTry {
  readonly page: Page;
  readonly login: Login;
  readonly index: number;
  readonly takeCode: (key: string) => Promise<string>;
  readonly progress: Progress;
}

type StepFailure = Extract<Failure, { readonly code: 'login_step_failed' }>;

/** Statuses of sites that are down or overloaded. */
const DOWN = [429, 500, 502, 503, 504];
/** Browser errors that persist until the site or the login is changed. */
const LASTING = /CERT|SSL|REDIRECT|INVALID|UNSAFE/;

/** Returns whether a step failed because of the state of the site, which may change soon. */
function isOfSite(why: AnyFailure, hasWorked: boolean): boolean {
  const { text = '', status = 0 } = why.params as { readonly text?: string; readonly status?: number };
  switch (why.code) {
    case 'login_page_not_opened':
      return !LASTING.test(text);
    case 'login_page_status':
      return DOWN.includes(status);
    case 'login_element_missing':
    case 'login_not_met':
      // The site may show that it is under maintenance.
      return hasWorked;
    default:
      return false;
  }
}

/** Performs a step. @returns the failure if the step failed. @throws other errors of the browser */
async function tryStep({ page, login, index, takeCode, progress }: LoginStepTry): Promise<StepFailure | null> {
  const step = login.steps[index];
  if (step === undefined) return null;
  const isSecret = 'secret' in step || 'totp' in step;
  progress.hasSubmitted ||= progress.hasEnteredSecret && !isSecret;
  const code = 'totp' in step ? { selector: step.fill, url: page.url() } : progress.code;
  try {
    await performStep(page, step, takeCode);
  } catch (error) {
    if (!(error instanceof StepFault)) throw error;
    return { code: 'login_step_failed', params: { ...namedStep(step, index), why: error.failure } };
  }
  progress.hasEnteredSecret ||= isSecret;
  progress.code = code;
  // Fields that are filled after the last secret belong to the application, such as a search.
  const isBeforeSecret = login.steps.slice(index).some((later) => 'secret' in later || 'totp' in later);
  if ('fill' in step && isBeforeSecret) progress.filled.push(await filledField(page, step.fill));
  return null;
}

/** A cached form would have a token that has been used, and a cached page would hide that a session has ended. */
async function withoutCache({ cdp }: BrowserPage): Promise<void> {
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
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

/** Not repeated after the site may have received a secret: wrong passwords lock accounts. */
function brokenOff(error: unknown, { hasSubmitted }: Progress): LoginResult {
  const { failure: why, permanent } = pageFailure(error, { work: 'login', timeLimitMs: loginTimeoutMs });
  return failed({ code: 'login_broke_off', params: { why } }, null, !permanent && !hasSubmitted);
}

/** Whether a session has ended; `unknown` if the site was down or the browser failed. */
export type SessionProbe = 'alive' | 'ended' | 'unknown';

/**
 * Finds out whether a session has ended: opens the page at the end of the login, and checks whether it still shows that the login
 * has worked.
 * @throws the signal's reason, and AppError if the browser cannot be started
 */
export async function probeSession(
  owner: LoginOwner,
  session: LoginSession,
  { pool, signal }: Pick<LoginMeans, 'pool' | 'signal'>,
): Promise<SessionProbe> {
  const origins = ownOrigins(owner.startingUrl, owner.siteUrl);
  const ignored = (): void => undefined;
  const signIn = { access: owner.access, origins, session, ...(owner.blocksWrites && { onBlockedWrite: ignored }) };
  const request = { ...pageFor(owner, probeTimeoutMs, signal), signIn };
  try {
    return await pool.withPage(request, async (browserPage) => {
      await withoutCache(browserPage);
      const { page } = browserPage;
      const response = await page.goto(session.url, { waitUntil: 'domcontentloaded', timeout: openTimeoutMs });
      const status = response?.status() ?? 200;
      if (status === 401) return 'ended';
      // Some pages always return 500.
      if (status !== 500 && DOWN.includes(status)) return 'unknown';
      await page.waitForLoadState('networkidle', { timeout: idleTimeoutMs }).catch(() => undefined);
      const { signed_in: test } = owner.access.login;
      if (test === null) return (await isLoginPage(page)) ? 'ended' : 'alive';
      if (await isTrue(page, test)) return 'alive';
      return untilTrue(page, test, expectTimeoutMs).then(
        () => 'alive' as const,
        () => 'ended' as const,
      );
    });
  } catch (error) {
    signal.throwIfAborted();
    if (isBrowserMissing(error)) throw error;
    return 'unknown';
  }
}

/**
 * Returns whether the page at the end of a login looks the same to visitors who have not signed in: then nothing shows that a
 * session has ended. @throws the signal's reason
 */
export async function isOpenToStrangers(
  owner: LoginOwner,
  session: LoginSession,
  means: Pick<LoginMeans, 'pool' | 'signal'>,
): Promise<boolean> {
  const stranger = { ...session, cookies: [], localStorage: [], sessionStorage: [] };
  const seen = await probeSession(owner, stranger, means).catch((error: unknown) => {
    if (isBrowserMissing(error)) return 'unknown';
    throw error;
  });
  return seen === 'alive';
}
