import { AppError } from '../platform/errors.ts';
import { setCredits } from '../store/credits.ts';
import type { Database } from '../store/database.ts';

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
