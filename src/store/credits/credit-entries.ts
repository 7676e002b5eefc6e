import { sql, type Transaction } from 'kysely';
import type { Executor } from '../database.ts';
import { type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { CreditEntry, CreditReason, Schema } from '../schema.ts';

/** A change of an account's credits, and the balance after it. */
export interface CreditMovement {
  readonly accountId: string;
  /** Negative if credits were spent. */
  readonly amount: number;
  readonly reason: CreditReason;
  /** Null: unlimited. */
  readonly balance: number | null;
  readonly reportId: string | null;
}

/** Movements with the same report and reason within this time are merged into one entry. */
const MERGE_MINUTES = 60;
/** The number of reasons for which a report spends credits: its spending alternates between this many entries. */
const MERGE_ENTRIES = 3;

/**
 * Records a movement in the ledger. The account has to be locked, so that entries and balances have the same order. Adds to an
 * existing entry with the same report and reason if only spending of the same report follows it, so that a report of ten
 * thousand pages does not fill the ledger.
 */
export async function recordMovement(trx: Transaction<Schema>, movement: CreditMovement): Promise<void> {
  const { accountId, amount, reason, balance, reportId } = movement;
  // The balances of later entries change, too. They stay above 0, because the newest entry has the lowest balance.
  const { numAffectedRows = 0n } = await sql`
    WITH newest AS (
      SELECT id, reason, report_id, inserted_at, bool_and(amount < 0 AND coalesce(report_id = ${reportId}, false))
        OVER (ORDER BY id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS may_pass
      FROM (SELECT * FROM credit_entries WHERE account_id = ${accountId} ORDER BY id DESC LIMIT ${MERGE_ENTRIES}) AS e
    ), same AS (
      SELECT id FROM newest
      WHERE reason = ${reason} AND reason NOT IN ('granted', 'set') AND report_id IS NOT DISTINCT FROM ${reportId}
        AND inserted_at > now() - make_interval(mins => ${MERGE_MINUTES}) AND coalesce(may_pass, true)
      ORDER BY id DESC LIMIT 1
    )
    UPDATE credit_entries e SET amount = e.amount + CASE WHEN e.id = same.id THEN ${amount}::bigint ELSE 0 END,
      balance = e.balance + ${amount}::bigint
    FROM same WHERE e.account_id = ${accountId} AND e.id >= same.id`.execute(trx);
  if (numAffectedRows > 0n) return;
  await trx
    .insertInto('credit_entries')
    .values({ account_id: accountId, amount, reason, balance, report_id: reportId })
    .execute();
}

export interface CreditEntryFilter {
  /** Any of these; default: all. */
  readonly reasons?: readonly CreditReason[] | undefined;
  readonly reportId?: string | undefined;
}

/** Returns a page of an account's ledger, newest entries first. */
export async function listCreditEntries(
  db: Executor,
  accountId: string,
  { reasons, reportId }: CreditEntryFilter,
  page: PageRequest,
): Promise<ListPage<CreditEntry>> {
  let list = db.selectFrom('credit_entries').where('account_id', '=', accountId);
  if (reasons !== undefined) list = list.where('reason', 'in', reasons);
  if (reportId !== undefined) list = list.where('report_id', '=', reportId);
  return listPage(list, page, (rows) => rows.selectAll().orderBy('id', 'desc'));
}
