import type { Transaction } from 'kysely';
import { AppError } from '../platform/errors.ts';
import { findAccountByEmail, lockAccount } from '../store/accounts/accounts.ts';
import {
  deleteIdentities,
  findAccountOfIdentity,
  insertIdentity,
  type OidcIdentity,
} from '../store/accounts/oidc-identities.ts';
import { findPassword, findPasswordByEmail } from '../store/accounts/passwords.ts';
import { findSession, type SessionHolder } from '../store/accounts/sessions.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { Schema } from '../store/schema.ts';
import type { Passwords } from './passwords.ts';
import { reauthenticate } from './reauthenticate.ts';
import type { SignUp } from './register.ts';
import { createOwnAccount } from './register.ts';
import { type Browser, type NewSession, openSession, replacePassword } from './sessions.ts';
import { type Attempt, admitKnownDevice, admitSignIn } from './sign-in-attempts.ts';
import { SignInFault } from './sign-in-fault.ts';

export interface SignInParts {
  readonly db: Executor;
  readonly passwords: Passwords;
}

/**
 * Signs in with a password.
 * @param onAccount called with the account that has the address, even if the attempt then fails
 * @throws AppError wrong_credentials, after the same work whether the account is unknown, has no password or has a different
 *   password; account_disabled; RetryLater rate_limited
 */
export async function signIn(
  { db, passwords }: SignInParts,
  { email, password }: { readonly email: string; readonly password: string },
  browser: Browser,
  onAccount: (accountId: string) => void,
): Promise<NewSession> {
  const found = await findPasswordByEmail(db, email);
  if (found !== undefined) onAccount(found.accountId);
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

/** @param accountId the account with the address; undefined if there is none */
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
  return new AppError('wrong_credentials', 'The email address or the password is wrong.');
}

/**
 * Sets a new password, or the first password of an account that signs in with a provider, and ends all other sessions.
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

/** Why a user of the provider cannot sign in. `docs/openid-connect.md` has the same list. */
export const OIDC_REFUSALS = [
  'oidc_no_account',
  'oidc_has_password',
  'oidc_taken',
  'oidc_expired',
  'oidc_disabled',
  'invitation_taken',
] as const;
type OidcRefusal = (typeof OIDC_REFUSALS)[number];

export class OidcFault extends Error {
  override readonly name = 'OidcFault';
  readonly reason: OidcRefusal;

  constructor(reason: OidcRefusal, options?: { cause?: unknown }) {
    super(reason, options);
    this.reason = reason;
  }
}

/** A person whom the provider has identified. */
interface Identified extends OidcIdentity {
  readonly name: string;
  /** Null unless the provider has verified it. */
  readonly email: string | null;
}

/**
 * Links a person to the account of the session that requested it.
 * @throws OidcFault oidc_expired if the session has ended; oidc_taken
 */
export function linkPerson(
  db: Executor,
  person: Identified,
  { accountId, sessionId }: Pick<SessionHolder, 'accountId' | 'sessionId'>,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    if ((await findSession(trx, accountId, sessionId)) === undefined) throw new OidcFault('oidc_expired');
    if ((await findAccountOfIdentity(trx, person)) === accountId) return;
    if (!(await insertIdentity(trx, accountId, person))) throw new OidcFault('oidc_taken');
  });
}

/**
 * Removes the link of an account to its provider.
 * @throws AppError conflict if it has no password, because no one could sign in to it anymore; not_found if it is not linked
 */
export async function unlinkPerson(db: Executor, accountId: string): Promise<void> {
  if ((await findPassword(db, accountId)) === undefined) {
    throw new AppError(
      'conflict',
      'This account has no password, so this is the only way to sign in to it. Set a password first.',
    );
  }
  if (!(await deleteIdentities(db, accountId)))
    throw new AppError('not_found', 'This account is not linked to a provider.');
}

/**
 * Signs a person in: to the account that they are linked to, else to an account without a password that has their address, else
 * to a new account if they may sign up.
 * @throws OidcFault
 */
export function signInPerson(
  db: Executor,
  person: Identified,
  { signUp, invitation }: { readonly signUp: SignUp; readonly invitation: string | undefined },
  browser: Pick<Browser, 'userAgent'>,
): Promise<NewSession> {
  return inTransaction(db, async (trx) => {
    const known = await findAccountOfIdentity(trx, person);
    if (known !== undefined) return openSession(trx, known, browser);
    const accountId = (await accountByAddress(trx, person)) ?? (await newAccount(trx, person, signUp, invitation));
    if (!(await insertIdentity(trx, accountId, person))) throw new OidcFault('oidc_taken');
    return openSession(trx, accountId, browser);
  }).catch((cause: unknown) => {
    const isDisabled = cause instanceof AppError && cause.code === 'account_disabled';
    throw isDisabled ? new OidcFault('oidc_disabled', { cause }) : cause;
  });
}

/** @throws OidcFault oidc_has_password, because the person who signed up with the address may not be its owner */
async function accountByAddress(trx: Transaction<Schema>, { email }: Identified): Promise<string | undefined> {
  const account = email === null ? undefined : await findAccountByEmail(trx, email);
  if (account === undefined) return undefined;
  if ((await findPassword(trx, account.id)) !== undefined) throw new OidcFault('oidc_has_password');
  return account.id;
}

async function newAccount(
  trx: Transaction<Schema>,
  { name, email }: Identified,
  signUp: SignUp,
  invitation: string | undefined,
): Promise<string> {
  if (email === null) throw new OidcFault('oidc_no_account');
  return createOwnAccount(trx, signUp, { name, email, invitation }).catch((cause: unknown) => {
    if (!(cause instanceof AppError)) throw cause;
    const isInvitation = cause instanceof SignInFault && cause.field === 'invitation';
    throw new OidcFault(isInvitation ? 'invitation_taken' : 'oidc_no_account', { cause });
  });
}
