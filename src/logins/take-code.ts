import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../store/database.ts';
import type { CredentialStore } from '../store/reports/credential-store.ts';
import { useTotpPeriod } from '../store/reports/login-sessions.ts';
import { codeWaitMaxMs } from './limits.ts';
import { StepFault, type TakeCode } from './perform-step.ts';
import { parseTotpKey, periodAt, totpCode } from './totp.ts';

/** Codes that are valid for less than this are not used: the site must still accept them when they arrive. */
const validMinMs = 3_000;

/**
 * Returns one-time passwords. Sites accept each only once (RFC 6238, 5.2), so if the current one has been used, this waits for
 * the next one, which takes up to one period for each login that waits for the same key.
 */
export function createTakeCode({
  db,
  credentialStore,
}: {
  readonly db: Database;
  readonly credentialStore: Pick<CredentialStore, 'box'>;
}): TakeCode {
  return async (text, signal) => {
    const deadline = performance.now() + codeWaitMaxMs;
    const key = parseTotpKey(text);
    if (key === null) throw new Error('The key of one-time passwords is invalid.');
    const keyCode = credentialStore.box.sign(`key of one-time passwords\n${Buffer.from(key.key).toString('hex')}`);
    for (;;) {
      const now = Date.now();
      const period = periodAt(key, now);
      const leftMs = (period + 1) * key.periodS * 1_000 - now;
      if (leftMs >= validMinMs && (await useTotpPeriod(db, keyCode, period))) return totpCode(key, period);
      if (performance.now() + leftMs > deadline) {
        throw new StepFault({ code: 'login_code_not_free', params: { seconds: codeWaitMaxMs / 1_000 } });
      }
      await delay(leftMs, undefined, { signal });
    }
  };
}

/** Adds each one-time password that is entered to the secrets, which must not be shown. */
export function addingTo(secrets: string[], takeCode: TakeCode): TakeCode {
  return async (...request) => {
    const code = await takeCode(...request);
    secrets.push(code);
    return code;
  };
}
