import { AppError } from '../platform/errors.ts';
import { lockAccount } from '../store/accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { findPassword, findPasswordByEmail } from '../store/passwords.ts';
import type { Passwords } from './passwords.ts';
import { type Browser, type NewSession, openSession, replacePassword } from './sessions.ts';
import { admitSignIn } from './sign-in-attempts.ts';
import { SignInFault } from './sign-in-fault.ts';

export interface SignInParts {
  readonly db: Executor;
  readonly passwords: Passwords;
}

/**
 * Signs in with a password.
 * @throws AppError wrong_credentials, after the same work whether the account is unknown, has no password or has another one;
 *   RetryLater rate_limited
 */
export async function signIn(
  { db, passwords }: SignInParts,
  { email, password }: { readonly email: string; readonly password: string },
  browser: Browser,
): Promise<NewSession> {
  const attempt = await admitSignIn(db, browser.address, email);
  const found = await findPasswordByEmail(db, email.trim());
  const matches = await passwords.matches(password, found?.hash ?? null);
  if (found === undefined || !matches) throw wrongCredentials();
  return inTransaction(db, async (trx) => {
    // A password that was replaced in the meantime opens no session.
    await lockAccount(trx, found.accountId);
    if ((await findPassword(trx, found.accountId)) !== found.hash) throw wrongCredentials();
    await attempt.succeed(trx);
    return openSession(trx, found.accountId, browser);
  });
}

function wrongCredentials(): AppError {
  return new AppError('wrong_credentials', 'The e-mail address or the password is wrong.');
}

/**
 * Sets a new password, or the first one of an account that signs in with a provider, and ends all other sessions.
 * @returns the session that replaces the current one
 * @throws SignInFault invalid if the current password is wrong; RetryLater rate_limited
 */
export async function changePassword(
  { db, passwords }: SignInParts,
  account: { readonly id: string; readonly email: string },
  { current, next }: { readonly current: string | undefined; readonly next: string },
  browser: Browser,
): Promise<NewSession> {
  const stored = await findPassword(db, account.id);
  const attempt = await admitSignIn(db, browser.address, account.email);
  if (stored !== undefined && !(await passwords.matches(current ?? '', stored))) {
    throw new SignInFault('invalid', 'current_password', 'is wrong', 'The current password is wrong.');
  }
  const hash = await passwords.hash(next);
  return inTransaction(db, async (trx) => {
    await lockAccount(trx, account.id);
    if ((await findPassword(trx, account.id)) !== stored) {
      throw new AppError('conflict', 'The password has just been changed by another request.');
    }
    await attempt.succeed(trx);
    return replacePassword(trx, account.id, hash, browser);
  });
}
