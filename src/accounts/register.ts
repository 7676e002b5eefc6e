import type { Transaction } from 'kysely';
import { AppError } from '../platform/errors.ts';
import { canAnyoneSignIn, putPassword } from '../store/accounts/passwords.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { Schema } from '../store/schema.ts';
import { createAccount } from './accounts.ts';
import { acceptInvitation, openInvitation } from './guest-accounts.ts';
import type { Passwords } from './passwords.ts';
import { type Browser, type NewSession, openSession } from './sessions.ts';
import { admitSignUp } from './sign-in-attempts.ts';
import { addressTaken, SignInFault } from './sign-in-fault.ts';

/** A person who creates an account. */
export interface Newcomer {
  readonly email: string;
  readonly name: string;
  /** The secret of the invitation that they accept with it. */
  readonly invitation: string | undefined;
}

/**
 * Creates an account with a password and opens its first session.
 * @throws AppError forbidden; SignInFault conflict, not_found; RetryLater rate_limited
 */
export async function signUpWithPassword(
  { db, passwords, signUp }: { readonly db: Executor; readonly passwords: Passwords; readonly signUp: SignUp },
  { password, ...newcomer }: Newcomer & { readonly password: string },
  browser: Omit<Browser, 'device'>,
): Promise<NewSession> {
  await admitSignUp(db, browser.address);
  await requireSignUp(db, signUp, newcomer.invitation);
  const hash = await passwords.hash(password);
  return inTransaction(db, async (trx) => {
    const accountId = await createOwnAccount(trx, signUp, newcomer);
    await putPassword(trx, accountId, hash);
    return openSession(trx, accountId, browser);
  });
}

/**
 * Creates the account of a person who was not invited by the operator, on the free plan. With an invitation, it uses the plan and
 * credits of its host from the beginning, and has no credits of its own unless anyone may sign up.
 * @returns its id
 * @throws AppError forbidden; SignInFault conflict, not_found
 */
export async function createOwnAccount(
  trx: Transaction<Schema>,
  signUp: SignUp,
  { email, name, invitation }: Newcomer,
): Promise<string> {
  await requireSignUp(trx, signUp, invitation);
  const credits = signUp === 'open' ? null : 0;
  const account = await createAccount(trx, { email, name, plan: 'free', credits }).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'conflict' ? addressTaken(email) : error;
  });
  if (invitation !== undefined) {
    await acceptInvitation(trx, { accountId: account.id }, invitation).catch(asInvitationFault);
  }
  return account.id;
}

/**
 * Checks the requirements for a person without an account. This comes before all other checks: otherwise, anyone without an
 * invitation could find out which addresses have an account, and make the service compute hashes.
 * @throws AppError forbidden; SignInFault conflict, not_found
 */
async function requireSignUp(db: Executor, signUp: SignUp, invitation: string | undefined): Promise<void> {
  if (signUp === 'closed')
    throw new AppError('forbidden', 'Only the operator can create accounts on this installation.');
  if (signUp === 'invite' && invitation === undefined) {
    throw new AppError('forbidden', 'You need an invitation to create an account on this installation.');
  }
  // If someone else signed up first, the next start would print no link for the operator.
  if (!(await canAnyoneSignIn(db))) {
    throw new AppError(
      'forbidden',
      'The operator must sign in first, with the link that the service prints when it starts.',
    );
  }
  if (invitation !== undefined) await openInvitation(db, null, invitation).catch(asInvitationFault);
}

function asInvitationFault(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new SignInFault(error.code, 'invitation', 'cannot be accepted', error.message);
}

/** Who may create an account without the operator: anyone, invited people, or no one. */
export const SIGN_UPS = ['open', 'invite', 'closed'] as const;
export type SignUp = (typeof SIGN_UPS)[number];
