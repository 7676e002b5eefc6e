import type { Transaction } from 'kysely';
import { AppError } from '../platform/errors.ts';
import * as states from '../store/accounts/account-states.ts';
import { guestAccountIdsOf } from '../store/accounts/guest-accounts.ts';
import { type Executor, inTransaction } from '../store/database.ts';
import type { Schema } from '../store/schema.ts';
import { type AccountInput, createAccount } from './accounts.ts';
import { endSharing } from './guest-accounts.ts';
import { createPasswordLink } from './sign-in-links.ts';

/**
 * Creates an account with a link to set its first password. Returns its id and the secret of the link.
 * @throws AppError conflict if the address has an account
 */
export function createAccountWithLink(
  db: Executor,
  input: AccountInput,
): Promise<{ readonly id: string; readonly secret: string }> {
  return inTransaction(db, async (trx) => {
    const { id } = await createAccount(trx, input);
    return { id, secret: await createPasswordLink(trx, id) };
  });
}

/**
 * Makes an account an operator, or revokes the role. Returns its new state; undefined if nothing changed.
 * @throws AppError conflict for the last operator
 */
export function setOperator(db: Executor, id: string, operator: boolean): Promise<states.AccountState | undefined> {
  return inTransaction(db, async (trx) => {
    if (!operator) await requireAnotherOperator(trx, id);
    return states.makeOperator(trx, id, operator);
  });
}

/**
 * Disables an account: no one can sign in to it or use its tokens, deploy hooks and share links, its schedules and notifications
 * rest, and its reports are stopped in the background. Returns its new state; undefined if it was already disabled.
 * @throws AppError conflict for the last operator
 */
export function disableAccount(db: Executor, id: string): Promise<states.AccountState | undefined> {
  return inTransaction(db, async (trx) => {
    await requireAnotherOperator(trx, id);
    return states.markDisabled(trx, id);
  });
}

/** Reverts `disableAccount`, except for what has ended. Returns its new state; undefined if the account was not disabled. */
export function enableAccount(db: Executor, id: string): Promise<states.AccountState | undefined> {
  return inTransaction(db, (trx) => states.markEnabled(trx, id));
}

/**
 * Deletes an account with everything that it owns: it disappears at once, and its data is removed in the background. Its guests
 * lose the plan and the credits that it shares, and keep their reports, in which its mutings no longer apply.
 * @throws AppError conflict for the last operator
 */
export function deleteAccount(db: Executor, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    await endSharing(trx, id, await guestAccountIdsOf(trx, id));
    await requireAnotherOperator(trx, id);
    await states.markAccountDeleted(trx, id);
  });
}

/** @throws AppError conflict if no one else could manage the installation */
async function requireAnotherOperator(trx: Transaction<Schema>, id: string): Promise<void> {
  const operators = await states.lockOperators(trx);
  if (!operators.includes(id) || operators.length > 1) return;
  throw new AppError(
    'conflict',
    'This account is the only operator. Make another account an operator first: sitewarden account operator ADDRESS.',
  );
}
