import { AppError } from '../platform/errors.ts';
import { findPassword } from '../store/accounts/passwords.ts';
import { RECENT_MINUTES, type SessionHolder, wasOpenedRecently } from '../store/accounts/sessions.ts';
import type { Executor } from '../store/database.ts';
import type { Passwords } from './passwords.ts';
import { admitConfirmation } from './sign-in-attempts.ts';
import { SignInFault } from './sign-in-fault.ts';

/**
 * Makes sure that the user of a session is the person who signed in, before a change to how people sign in to the account: a
 * browser may have been left open, or its cookie stolen. Requires the password or, if there is none, a sign-in within the last 15
 * minutes.
 * @returns the hash of the password; undefined if there is none
 * @throws SignInFault invalid if the password is wrong; AppError forbidden if the sign-in was too long ago; RetryLater
 *   rate_limited
 */
export async function reauthenticate(
  { db, passwords }: { readonly db: Executor; readonly passwords: Passwords },
  { accountId, sessionId }: Pick<SessionHolder, 'accountId' | 'sessionId'>,
  password: string | undefined,
): Promise<string | undefined> {
  const stored = await findPassword(db, accountId);
  if (stored === undefined) {
    if (await wasOpenedRecently(db, sessionId)) return undefined;
    const detail = `This account has no password, so you must have signed in within the last ${RECENT_MINUTES} minutes. Sign in again.`;
    throw new AppError('forbidden', detail);
  }
  const attempt = await admitConfirmation(db, sessionId);
  if (!(await passwords.matches(password ?? '', stored))) {
    throw new SignInFault('invalid', 'current_password', 'is wrong', 'The current password is wrong.');
  }
  await attempt.succeed(db);
  return stored;
}
