import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { ASKS_PASSWORD } from '../browser/apply-session.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { namedTest } from '../domain/journey.ts';
import type { PageTest } from '../domain/login.ts';
import { addressOf } from '../domain/login-session.ts';
import { looksLikeSignIn } from '../domain/session-urls.ts';
import { endTimeoutMs, idleTimeoutMs, pollMs } from './limits.ts';
import { isTrue, StepFault, shownUrl, untilTrue } from './perform-step.ts';

/** The field of a one-time password that a login has entered. */
export interface EnteredCode {
  readonly selector: string;
  /** The URL of its page. */
  readonly url: string;
}

/**
 * Waits until the last page shows that the login has worked.
 * @param code the last one-time password that was entered; null if none was
 * @returns the failure if it does not
 */
export async function untilSignedIn(
  page: Page,
  test: PageTest | null,
  code: EnteredCode | null,
): Promise<Failure | null> {
  if (test !== null) {
    try {
      await untilTrue(page, test, endTimeoutMs);
    } catch (error) {
      if (!(error instanceof StepFault)) throw error;
      return whyNotSignedIn(page, code, test);
    }
  } else {
    const deadline = performance.now() + endTimeoutMs;
    while ((await asksFor(page, code)) !== null) {
      if (performance.now() > deadline) return whyNotSignedIn(page, code, test);
      await delay(pollMs);
    }
  }
  await page.waitForLoadState('networkidle', { timeout: idleTimeoutMs }).catch(() => undefined);
  return test === null && (await asksFor(page, code)) !== null ? whyNotSignedIn(page, code, test) : null;
}

/** Whether a page asks for a login. While it is being replaced, it counts as a login page. */
export async function isLoginPage(page: Page): Promise<boolean> {
  return looksLikeSignIn(page.url()) || (await page.evaluate(ASKS_PASSWORD).catch(() => true)) === true;
}

/** Returns what a page asks for to sign in; null if it asks for nothing. */
async function asksFor(page: Page, code: EnteredCode | null): Promise<'code' | 'login' | null> {
  const isPageOfCode = code !== null && addressOf(page.url()) === addressOf(code.url);
  if (isPageOfCode && (await isTrue(page, { selector: code.selector }))) return 'code';
  return (await isLoginPage(page)) ? 'login' : null;
}

/** Returns why a login has not worked, as its last page shows. */
export async function whyNotSignedIn(page: Page, code: EnteredCode | null, test: PageTest | null): Promise<Failure> {
  const params = { url: shownUrl(page) };
  switch (await asksFor(page, code)) {
    case 'code':
      return { code: 'login_code_refused', params };
    case 'login':
      return { code: 'login_not_signed_in', params };
    case null:
      return test === null
        ? { code: 'login_not_signed_in', params }
        : { code: 'login_test_not_met', params: { ...params, test: namedTest(test) } };
  }
}
