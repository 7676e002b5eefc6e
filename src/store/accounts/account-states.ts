import { type Expression, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { type Executor, inTransaction } from '../database.ts';
import { removeRows } from '../remove-rows.ts';
import type { Account, Schema } from '../schema.ts';
import { announceWork } from '../work-topics.ts';

/** Announced when an account is disabled or deleted. */
export const ACCOUNTS_TOPIC = 'accounts';

/** Whether an account can be used: it is neither disabled nor deleted. Reads the few rows of accounts that cannot. */
export function isInUse(accountId: Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`NOT EXISTS (SELECT FROM accounts AS disabled WHERE disabled.id = ${accountId}
    AND disabled.disabled_at IS NOT NULL)`;
}

/** The same for queries about few accounts: reads the account's own row instead of the rows of all disabled accounts. */
export function isInUseByKey(accountId: Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(SELECT disabled_at FROM accounts AS one WHERE one.id = ${accountId}) IS NULL`;
}

/** Locks the operators that can be used, so that concurrent changes cannot remove the last one. Returns their ids. */
export async function lockOperators(trx: Transaction<Schema>): Promise<string[]> {
  const rows = await trx
    .selectFrom('accounts')
    .select('id')
    .where('operator', '=', true)
    .where('disabled_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

const STATE_COLUMNS = ['operator', 'disabled_at', 'updated_at'] as const;

/** What operators can change in an account. */
export type AccountState = Pick<Account, (typeof STATE_COLUMNS)[number]>;

/** Makes an account an operator, or revokes the role. Returns its new state; undefined if that changed nothing. */
export async function makeOperator(db: Executor, id: string, operator: boolean): Promise<AccountState | undefined> {
  return db
    .updateTable('accounts')
    .set({ operator, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('operator', '<>', operator)
    .returning(STATE_COLUMNS)
    .executeTakeFirst();
}

/** Enables an account. Returns its new state; undefined if it was not disabled. */
export async function markEnabled(trx: Transaction<Schema>, id: string): Promise<AccountState | undefined> {
  return trx
    .updateTable('accounts')
    .set({ disabled_at: null, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('disabled_at', 'is not', null)
    .where('deleting_since', 'is', null)
    .returning(STATE_COLUMNS)
    .executeTakeFirst();
}

/** Disables an account, and ends its sessions and sign-in links. Returns its new state; undefined if it was already disabled. */
export async function markDisabled(trx: Transaction<Schema>, id: string): Promise<AccountState | undefined> {
  const state = await trx
    .updateTable('accounts')
    .set({ disabled_at: sql`now()`, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .returning(STATE_COLUMNS)
    .executeTakeFirst();
  await trx.deleteFrom('sessions').where('account_id', '=', id).execute();
  await trx.deleteFrom('sign_in_links').where('account_id', '=', id).execute();
  await announceWork(trx, [ACCOUNTS_TOPIC]);
  return state;
}

/**
 * Disables an account for good: removes its name, its address and every way to use it. Another account can use the address at
 * once.
 */
export async function markAccountDeleted(trx: Transaction<Schema>, id: string): Promise<void> {
  await markDisabled(trx, id);
  const email = `${id}@deleted.invalid`;
  const changes = { deleting_since: sql<Date>`now()`, operator: false, email, name: '' };
  await trx.updateTable('accounts').set(changes).where('id', '=', id).execute();
  for (const table of ['api_tokens', 'passwords', 'oidc_identities', 'share_links', 'notification_channels'] as const)
    await trx.deleteFrom(table).where('account_id', '=', id).execute();
}

/** Returns the id of an unfinished report of a disabled account; undefined if there is none. */
export async function unfinishedReportOfDisabled(db: Executor): Promise<string | undefined> {
  const row = await db
    .selectFrom('reports')
    .innerJoin('accounts', 'accounts.id', 'reports.account_id')
    .select('reports.id')
    .where('reports.status', 'in', ['pending', 'crawling', 'checking'])
    .where('reports.deleted_at', 'is', null)
    .where('accounts.disabled_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** Returns the ids of deleted accounts whose rows still exist, the earliest first. */
export async function deletedAccountIds(db: Executor): Promise<string[]> {
  const deleted = db.selectFrom('accounts').select('id').where('deleting_since', 'is not', null);
  return (await deleted.orderBy('deleting_since').orderBy('id').execute()).map(({ id }) => id);
}

/** Returns the ids of up to `max` reports of an account that are not deleted yet. */
export async function reportsToDelete(db: Executor, accountId: string, max: number): Promise<string[]> {
  const reports = db.selectFrom('reports').select('id').where('account_id', '=', accountId);
  const rows = await reports.where('deleted_at', 'is', null).orderBy('id').limit(max).execute();
  return rows.map(({ id }) => id);
}

/** Rows of an account that are deleted in one statement: few enough that other transactions hardly wait. */
const REMOVAL_BATCH_ROWS = 5_000;
/**
 * Tables that may have too many rows of one account to delete with it in one statement. Other tables cascade from the account's
 * row.
 */
const LARGE_TABLES = ['credit_entries', 'report_absences', 'idempotent_parts', 'idempotency_keys', 'mutings'] as const;

/**
 * Removes a batch of the remaining rows of a deleted account without reports, and in the end the account.
 * @returns false if it has reports, which the purge removes first, or is locked or gone
 */
export function removeAccountBatch(db: Executor, id: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const account = trx.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().skipLocked();
    if ((await account.executeTakeFirst()) === undefined) return false;
    const reports = trx.selectFrom('reports').select('id').where('account_id', '=', id).limit(1);
    if ((await reports.executeTakeFirst()) !== undefined) return false;
    for (const table of LARGE_TABLES)
      if ((await removeRows(trx, table, sql`account_id = ${id}`, REMOVAL_BATCH_ROWS)) > 0) return true;
    const sites = sql<SqlBool>`site_id IN (SELECT id FROM sites WHERE account_id = ${id})`;
    if ((await removeRows(trx, 'decisions', sites, REMOVAL_BATCH_ROWS)) > 0) return true;
    await trx.deleteFrom('accounts').where('id', '=', id).execute();
    return true;
  });
}
