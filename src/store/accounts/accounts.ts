import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { Measure } from '../../../packages/client/standards.ts';
import { addressKey } from '../../domain/email-address.ts';
import { ADVISORY_LOCKS } from '../../platform/advisory-locks.ts';
import { isDuplicate } from '../../platform/database-errors.ts';
import type { Executor } from '../database.ts';
import type { Account, Plan, Schema } from '../schema.ts';

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly plan: Plan;
  /** Null is unlimited. */
  readonly credits: number | null;
  readonly operator: boolean;
}

/** Inserts an account with its first credits. Returns undefined if the email address is taken. */
export async function insertAccount(db: Executor, account: NewAccount): Promise<Account | undefined> {
  return db
    .with('account', (insert) =>
      insert
        .insertInto('accounts')
        .values(account)
        .onConflict((conflict) => conflict.doNothing())
        .returningAll(),
    )
    .with('entry', (insert) =>
      insert
        .insertInto('credit_entries')
        .columns(['account_id', 'amount', 'reason', 'balance'])
        .expression((eb) =>
          eb
            .selectFrom('account')
            .select(['id', 'credits', sql.lit('granted').as('reason'), 'credits as balance'])
            .where('credits', '>', 0),
        ),
    )
    .selectFrom('account')
    .selectAll()
    .executeTakeFirst();
}

/** Selects the standard that the account `a` has chosen; null if it has chosen none. */
export const chosenMeasure = sql<Measure | null>`CASE WHEN a.standard_chosen
  THEN jsonb_build_object('standard', a.standard, 'best_practices', a.best_practices) END`;

/**
 * Chooses the standard that new reports of an account are measured against unless they set one.
 * @param given the settings to change; the others stay
 * @param before the settings that apply until the account has chosen
 * @returns the settings that apply now; undefined if the account was deleted
 */
export function chooseMeasure(
  db: Executor,
  id: string,
  given: Partial<Measure>,
  before: Measure,
): Promise<Measure | undefined> {
  const column = (name: keyof Measure) =>
    given[name] === undefined
      ? sql<never>`CASE WHEN standard_chosen THEN ${sql.ref(name)} ELSE ${before[name]} END`
      : sql<never>`${given[name]}`;
  return db
    .updateTable('accounts')
    .set({
      standard: column('standard'),
      best_practices: column('best_practices'),
      ...{ standard_chosen: true, updated_at: sql`now()` },
    })
    .where('id', '=', id)
    .returning(['standard', 'best_practices'])
    .executeTakeFirst();
}

export async function findAccount(db: Executor, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function findAccountByEmail(db: Executor, email: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').selectAll().where(hasAddress(email)).executeTakeFirst();
}

/** Whether a row of `accounts` has an address. The index has the same expression: `addressKey` in SQL. */
export function hasAddress(email: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(accounts.email COLLATE "C") = ${addressKey(email)}`;
}

/** Returns all accounts that are not deleted with their number of reports, oldest first. */
export async function selectAccounts(db: Executor): Promise<(Account & { num_reports: number })[]> {
  return db
    .selectFrom('accounts')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('reports')
        .select((reports) => reports.fn.countAll<number>().as('count'))
        .whereRef('reports.account_id', '=', 'accounts.id')
        .where('reports.deleted_at', 'is', null)
        .$asScalar()
        .$notNull()
        .as('num_reports'),
    )
    .where('deleting_since', 'is', null)
    .orderBy('inserted_at')
    .orderBy('id')
    .execute();
}

/**
 * Sets the name, the email address or both. Returns false if another account has the address; in that case, the transaction has
 * failed.
 */
export async function setProfile(
  trx: Transaction<Schema>,
  id: string,
  profile: Partial<Pick<NewAccount, 'name' | 'email'>>,
): Promise<boolean> {
  const changes = { ...profile, updated_at: sql<Date>`now()` };
  const update = trx.updateTable('accounts').set(changes).where('id', '=', id);
  return update.execute().then(
    () => true,
    (error: unknown) => {
      if (isDuplicate(error)) return false;
      throw error;
    },
  );
}

/**
 * Returns the oldest account in use, an operator if there is one. Until the transaction ends, no other process can create the
 * first account.
 */
export async function lockFirstAccount(trx: Transaction<Schema>): Promise<Account | undefined> {
  await sql`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.firstAccount})`.execute(trx);
  return trx
    .selectFrom('accounts')
    .selectAll()
    .where('disabled_at', 'is', null)
    .orderBy('operator', 'desc')
    .orderBy('inserted_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/** Locks an account until the transaction ends. */
export async function lockAccount(trx: Transaction<Schema>, id: string): Promise<Account> {
  return trx.selectFrom('accounts').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

export async function setPlan(db: Executor, id: string, plan: Plan): Promise<void> {
  await db.updateTable('accounts').set({ plan, updated_at: sql<Date>`now()` }).where('id', '=', id).execute();
}
