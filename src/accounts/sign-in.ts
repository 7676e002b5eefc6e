import { AppError } from '../platform/errors.ts';
import { lockAccount } from '../store/accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import { findPassword, findPasswordByEmail } from '../store/passwords.ts';
import type { SessionHolder } from '../store/sessions.ts';
import type { Passwords } from './passwords.ts';
import { reauthenticate } from './reauthenticate.ts';
import { type Browser, type NewSession, openSession, replacePassword } from './sessions.ts';
import { type Attempt, admitKnownDevice, admitSignIn } from './sign-in-attempts.ts';

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
  const found = await findPasswordByEmail(db, email);
  const attempt = await admit(db, email, found?.accountId, browser);
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

/** @param accountId the account with the address; undefined if none can be signed in to */
function admit(
  db: Executor,
  email: string,
  accountId: string | undefined,
  { address, device }: Browser,
): Promise<Attempt> {
  const isKnown = device !== null && device.accountId === accountId;
  return isKnown ? admitKnownDevice(db, device.id) : admitSignIn(db, address, email);
}

function wrongCredentials(): AppError {
  return new AppError('wrong_credentials', 'The e-mail address or the password is wrong.');
}

/**
 * Sets a new password, or the first one of an account that signs in with a provider, and ends all other sessions.
 * @returns the session that replaces the current one
 * @throws what `reauthenticate` throws
 */
export async function changePassword(
  parts: SignInParts,
  session: Pick<SessionHolder, 'accountId' | 'sessionId'>,
  { current, next }: { readonly current: string | undefined; readonly next: string },
  browser: Pick<Browser, 'userAgent'>,
): Promise<NewSession> {
  const { accountId } = session;
  const stored = await reauthenticate(parts, session, current);
  const hash = await parts.passwords.hash(next);
  return inTransaction(parts.db, async (trx) => {
    await lockAccount(trx, accountId);
    if ((await findPassword(trx, accountId)) !== stored) {
      throw new AppError('conflict', 'The password has just been changed by another request.');
    }
    return replacePassword(trx, accountId, hash, browser);
  });
}
