import { isEmailAddress } from '../domain/email-address.ts';
import { isUuid } from '../domain/schemas.ts';
import { AppError } from '../platform/errors.ts';
import { makeOperator } from '../store/accounts/account-states.ts';
import * as accounts from '../store/accounts/accounts.ts';
import { setCredits } from '../store/credits/credits.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import type { Account, Plan } from '../store/schema.ts';

export interface AccountInput {
  readonly email: string;
  readonly name?: string | undefined;
  readonly plan?: Plan | undefined;
  /** Initial credits; null or absent: unlimited. */
  readonly credits?: number | null | undefined;
  /** Whether it may manage the whole installation. Default: false. */
  readonly operator?: boolean | undefined;
}

/**
 * Creates an account.
 * @throws AppError invalid_usage for an invalid address, conflict if the address has an account
 */
export async function createAccount(db: Executor, input: AccountInput): Promise<Account> {
  const email = emailOf(input.email);
  const { name = '', plan = 'enterprise', credits = null, operator = false } = input;
  const account = await accounts.insertAccount(db, { email, name, plan, credits, operator });
  if (account === undefined) throw new AppError('conflict', `An account with the address ${email} already exists.`);
  return account;
}

/**
 * Returns the email address that an operator typed.
 * @throws AppError invalid_usage
 */
export function emailOf(text: string): string {
  const email = text.trim();
  if (!isEmailAddress(email)) throw new AppError('invalid_usage', `"${email}" is not an email address.`);
  return email;
}

/**
 * Returns the account with an id or email address.
 * @throws AppError account_not_found
 */
export async function findAccountByEmailOrId(db: Executor, emailOrId: string): Promise<Account> {
  const text = emailOrId.trim().replaceAll('\0', '');
  const account = isUuid(text) ? await accounts.findAccount(db, text) : await accounts.findAccountByEmail(db, text);
  if (account === undefined || account.deleting_since !== null) {
    throw new AppError(
      'account_not_found',
      `No account has the address or id "${text}". To see all accounts, run: account list`,
    );
  }
  return account;
}

/**
 * Returns the first account, which is an operator. Without any account, creates "admin", on the enterprise plan with unlimited
 * credits.
 */
export function ensureFirstAccount(db: Executor): Promise<Account> {
  return inTransaction(db, async (trx) => {
    const first = await accounts.lockFirstAccount(trx);
    if (first === undefined) return createAccount(trx, { email: 'admin@localhost', name: 'admin', operator: true });
    // An earlier version may have created it.
    if (!first.operator) await makeOperator(trx, first.id, true);
    return { ...first, operator: true };
  });
}

/**
 * Changes an account's credits on behalf of the operator: sets the balance (null: unlimited), or adds to it.
 * @returns the new balance
 * @throws AppError invalid_usage if both or neither is given, or if the credits to add to are unlimited
 */
export function changeCredits(
  db: Database,
  accountId: string,
  { set, add }: { readonly set?: number | null | undefined; readonly add?: number | undefined },
): Promise<number | null> {
  return db.transaction().execute(async (trx) => {
    if (set !== undefined && add === undefined) return setCredits(trx, accountId, () => set, 'set');
    if (add === undefined || set !== undefined)
      throw new AppError('invalid_usage', 'Pass either --set with the new balance, or --add with the credits to add.');
    const plus = (balance: number | null): number => {
      if (balance === null) throw new AppError('invalid_usage', 'The credits of this account are already unlimited.');
      return balance + add;
    };
    return setCredits(trx, accountId, plus, 'granted');
  });
}
