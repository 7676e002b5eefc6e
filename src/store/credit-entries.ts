import { sql, type Transaction } from 'kysely';
import type { Executor } from './database.ts';
import { type ListPage, listPage, type PageRequest } from './listing.ts';
import type { CreditEntry, CreditReason, Schema } from './schema.ts';

/** A movement of an account's credits, and the balance that it left. */
export interface CreditMovement {
  readonly accountId: string;
  /** Below 0 for what was spent. */
  readonly amount: number;
  readonly reason: CreditReason;
  /** Null when it became unlimited. */
  readonly balance: number | null;
  readonly reportId: string | null;
}

/** Movements for the same thing that follow each other within this time are one entry. */
const MERGE_MINUTES = 60;

/**
 * Writes a movement down, under the account's lock: entries and balances have one order. It is added to the newest entry
 * where that is for the same thing, so that a report of ten thousand pages does not fill the ledger.
 */
export async function noteMovement(trx: Transaction<Schema>, movement: CreditMovement): Promise<void> {
  const { accountId, amount, reason, balance, reportId } = movement;
  const { numAffectedRows } = await sql`
    UPDATE credit_entries SET amount = amount + ${amount}, balance = ${balance}
    WHERE id = (SELECT id FROM credit_entries WHERE account_id = ${accountId} ORDER BY id DESC LIMIT 1)
      AND reason = ${reason} AND reason NOT IN ('granted', 'set') AND report_id IS NOT DISTINCT FROM ${reportId}
      AND inserted_at > now() - make_interval(mins => ${MERGE_MINUTES})`.execute(trx);
  if (numAffectedRows === 1n) return;
  await trx
    .insertInto('credit_entries')
    .values({ account_id: accountId, amount, reason, balance, report_id: reportId })
    .execute();
}

/** A page of an account's ledger, newest first. */
export async function listCreditEntries(
  db: Executor,
  accountId: string,
  page: PageRequest,
): Promise<ListPage<CreditEntry>> {
  const list = db.selectFrom('credit_entries').where('account_id', '=', accountId);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}
