import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import type { BrowserPage } from '../browser/page-slot.ts';
import type { Failure } from '../domain/failures/failure.ts';
import { secretsOfLogin } from '../domain/login.ts';
import { AppError } from '../platform/errors.ts';
import { inTimeOr } from '../platform/in-time.ts';
import { shownLoadMs, shownPauseMs, shownTimeoutMs, shownWidthPixels, testTimeoutMs } from './limits.ts';
import type { SessionParts } from './renew-session.ts';
import { type LoginOwner, runLogin } from './run-login.ts';
import { showsSecret } from './shows-secret.ts';
import { addingTo, createTakeCode } from './take-code.ts';

/** What became of a login that was tried. */
export interface LoginTest {
  /** Null if it worked. */
  readonly failure: Failure | null;
  /** The index of the step that failed; null if none did. */
  readonly failedStep: number | null;
  /** The page after each step that was performed, in WebP; null if it shows a secret. */
  readonly screenshots: readonly (Buffer | null)[];
}

/**
 * Tries a login, without a report.
 * @param accountId one login of an account is tried at a time
 * @throws AppError conflict
 */
export type TestLogin = (accountId: string, owner: LoginOwner) => Promise<LoginTest>;

export function createLoginTester(
  parts: Pick<SessionParts, 'db' | 'credentialStore' | 'pool'>,
  timeoutMs = testTimeoutMs,
): TestLogin {
  const takeCode = createTakeCode(parts);
  const busy = new Set<string>();
  return async (accountId, owner) => {
    if (busy.has(accountId))
      throw new AppError('conflict', 'Another login of yours is being tried. Wait until that has ended.');
    busy.add(accountId);
    try {
      const screenshots: (Buffer | null)[] = [];
      const secrets = secretsOfLogin(owner.access.login);
      const onStep = async (page: BrowserPage, index: number): Promise<void> => {
        screenshots[index] = await inTimeOr(show(page, secrets), shownTimeoutMs, null);
      };
      const signal = AbortSignal.timeout(timeoutMs);
      const means = { ...parts, takeCode: addingTo(secrets, takeCode), signal, onStep };
      const result = await runLogin(owner, means).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        return {
          failure: { code: 'login_not_tried_in_time', params: { seconds: timeoutMs / 1_000 } },
          step: null,
        } as const;
      });
      if ('session' in result) return { failure: null, failedStep: null, screenshots };
      const failure: Failure = { code: 'login_failed', params: { why: result.failure } };
      return { failure, failedStep: result.step, screenshots };
    } finally {
      busy.delete(accountId);
    }
  };
}

/** Takes a screenshot of a page after a step. @returns null if it shows a secret, or cannot be shown */
async function show({ page, cdp }: BrowserPage, secrets: readonly string[]): Promise<Buffer | null> {
  // What the step caused should be on the screenshot.
  await delay(shownPauseMs);
  await page.waitForLoadState('load', { timeout: shownLoadMs }).catch(() => undefined);
  if (await showsSecret(page, secrets)) return null;
  return capture(page, cdp);
}

async function capture(page: Page, cdp: CDPSession): Promise<Buffer> {
  const { width, height } = page.viewportSize() ?? { width: 800, height: 600 };
  const scale = Math.min(1, shownWidthPixels / width);
  const clip = { x: 0, y: 0, width, height, scale };
  const { cssVisualViewport } = await cdp.send('Page.getLayoutMetrics');
  const [x, y] = [cssVisualViewport.pageX, cssVisualViewport.pageY];
  const { data } = await cdp.send('Page.captureScreenshot', { format: 'webp', quality: 60, clip: { ...clip, x, y } });
  return Buffer.from(data, 'base64');
}
