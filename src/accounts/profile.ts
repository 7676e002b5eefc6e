import { findAccount, lockAccount, setProfile } from '../store/accounts/accounts.ts';
import { findPassword } from '../store/accounts/passwords.ts';
import { rememberFormerAddress, type SessionHolder } from '../store/accounts/sessions.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { Passwords } from './passwords.ts';
import { reauthenticate } from './reauthenticate.ts';
import { addressTaken, SignInFault } from './sign-in-fault.ts';

/** What people enter about themselves. Undefined values stay unchanged. */
export interface Profile {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

/**
 * Changes the name and email address of a session's account. A new address requires the password, even for an account that signs
 * in with a provider: the provider admits anyone who has the address to an account without a password, so only the operator or
 * the provider may choose it.
 * @throws SignInFault invalid if the account has no password; what `reauthenticate` and `changeProfile` throw
 */
export async function changeOwnProfile(
  parts: { readonly db: Executor; readonly passwords: Passwords },
  session: Pick<SessionHolder, 'accountId' | 'sessionId'>,
  profile: Profile,
  password: string | undefined,
): Promise<void> {
  const { db } = parts;
  const { accountId, sessionId } = session;
  const account = await findAccount(db, accountId);
  if (profile.email !== undefined && profile.email !== account?.email) {
    if ((await findPassword(db, accountId)) === undefined) {
      const detail = 'Set a password first: without a password, your address comes from the OpenID Connect provider.';
      throw new SignInFault('invalid', 'email', 'requires a password', detail);
    }
    await reauthenticate(parts, session, password);
  }
  await changeProfile(db, accountId, profile, sessionId);
}

/**
 * Changes the name and email address of an account. Other signed-in browsers are shown the former address.
 * @param sessionId the session that requests it; null for the operator
 * @throws SignInFault conflict if another account has the address
 */
export function changeProfile(
  db: Executor,
  accountId: string,
  { name, email }: Profile,
  sessionId: number | null,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const { email: former } = await lockAccount(trx, accountId);
    const changes = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
    if (!(await setProfile(trx, accountId, changes))) throw addressTaken(email ?? former);
    if (email !== undefined && email !== former) await rememberFormerAddress(trx, accountId, former, sessionId);
  });
}
