import { AppError } from '../platform/errors.ts';
import * as accounts from '../store/accounts.ts';
import { setCredits } from '../store/credits.ts';
import { type Database, type Executor, inTransaction } from '../store/database.ts';
import type { Account, Plan } from '../store/schema.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** An address has characters on both sides of its last `@`; whether it takes mail, only mail can tell. */
const EMAIL = /^[^\s@\0][^\s\0]*@[^\s@\0]+$/;
const EMAIL_CHARACTERS_MAX = 254;

export interface AccountInput {
  readonly email: string;
  readonly name?: string | undefined;
  readonly plan?: Plan | undefined;
  /** Credits to begin with; null or absent is unlimited. */
  readonly credits?: number | null | undefined;
}

/**
 * Makes an account.
 * @throws AppError invalid_usage when the address is none, conflict when it has an account already
 */
export async function createAccount(db: Executor, input: AccountInput): Promise<Account> {
  const email = input.email.trim();
  if (!EMAIL.test(email) || email.length > EMAIL_CHARACTERS_MAX) {
    throw new AppError('invalid_usage', `"${email}" is not an e-mail address.`);
  }
  const { name = '', plan = 'enterprise', credits = null } = input;
  const account = await accounts.insertAccount(db, { email, name, plan, credits });
  if (account === undefined) throw new AppError('conflict', `There is already an account with the address ${email}.`);
  return account;
}

/**
 * The account with the given id or e-mail address.
 * @throws AppError account_not_found
 */
export async function findAccountByEmailOrId(db: Executor, emailOrId: string): Promise<Account> {
  const text = emailOrId.trim().replaceAll('\0', '');
  const account = UUID.test(text) ? await accounts.findAccount(db, text) : await accounts.findAccountByEmail(db, text);
  if (account === undefined) {
    throw new AppError(
      'account_not_found',
      `There is no account with the address or id "${text}"; account list shows all of them.`,
    );
  }
  return account;
}

/**
 * The account that was made first, which belongs to who runs this installation. Made when there is none: "admin", of the
 * enterprise plan with unlimited credits.
 */
export function ensureFirstAccount(db: Executor): Promise<Account> {
  return inTransaction(db, async (trx) => {
    const first = await accounts.lockFirstAccount(trx);
    if (first !== undefined) return first;
    return createAccount(trx, { email: 'admin@localhost', name: 'admin' });
  });
}

/**
 * Changes an account's credits, as its operator: sets the balance (null is unlimited), or adds to it.
 * @returns the new balance
 * @throws AppError invalid_usage when both or neither is asked for, or unlimited credits are added to
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
      if (balance === null) throw new AppError('invalid_usage', 'The credits of this account are unlimited already.');
      return balance + add;
    };
    return setCredits(trx, accountId, plus, 'granted');
  });
}
