import type { Failure } from '../domain/failures/failure.ts';
import { secretsOfLogin } from '../domain/login.ts';
import { testTimeoutMs } from './limits.ts';
import type { SessionParts } from './renew-session.ts';
import { isOpenToStrangers, type LoginOwner, runLogin } from './run-login.ts';
import { createTakeCode } from './take-code.ts';
import { type StepsTest, trySteps } from './try-steps.ts';

/** The result of a login that was tried. */
export interface LoginTest extends StepsTest {
  /** Whether the last page looks the same to signed-out visitors, so that an ended session cannot be detected. */
  readonly isOpenToStrangers: boolean;
}

/** Tries a login, without a report. @throws AppError conflict */
export type TestLogin = (accountId: string, owner: LoginOwner) => Promise<LoginTest>;

export function createLoginTester(
  parts: Pick<SessionParts, 'db' | 'credentialStore' | 'pool'>,
  timeoutMs = testTimeoutMs,
): TestLogin {
  const takeCode = createTakeCode(parts);
  return async (accountId, owner) => {
    let isOpen = false;
    const failed = (why: Failure): Failure => ({ code: 'login_failed', params: { why } });
    const toTry = { accountId, secrets: secretsOfLogin(owner.access.login), timeoutMs, failed };
    const test = await trySteps({ ...parts, takeCode }, toTry, async (means) => {
      const result = await runLogin(owner, { ...parts, ...means });
      if ('failure' in result) return { failure: failed(result.failure), failedStep: result.step };
      isOpen = await isOpenToStrangers(owner, result.session, { ...parts, signal: means.signal });
      return { failure: null, failedStep: null };
    });
    return { ...test, isOpenToStrangers: isOpen };
  };
}
