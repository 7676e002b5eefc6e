import { sql } from 'kysely';
import type { Executor } from '../database.ts';
import { hasAddress } from './accounts.ts';

/** Returns the account with an email address and its password hash, which is null if it has no password. */
export async function findPasswordByEmail(
  db: Executor,
  email: string,
): Promise<{ accountId: string; hash: string | null } | undefined> {
  return db
    .selectFrom('accounts')
    .leftJoin('passwords', 'passwords.account_id', 'accounts.id')
    .select(['accounts.id as accountId', 'passwords.hash'])
    .where(hasAddress(email))
    .executeTakeFirst();
}

/** Returns the password hash of an account; undefined if it has no password. */
export async function findPassword(db: Executor, accountId: string): Promise<string | undefined> {
  const row = await db.selectFrom('passwords').select('hash').where('account_id', '=', accountId).executeTakeFirst();
  return row?.hash;
}

export async function putPassword(db: Executor, accountId: string, hash: string): Promise<void> {
  await db
    .insertInto('passwords')
    .values({ account_id: accountId, hash })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ hash, updated_at: sql`now()` }))
    .execute();
}

/** Whether an account has a password or is linked to a provider. */
export async function canSignIn(db: Executor, accountId: string): Promise<boolean> {
  const { can } = await db
    .selectNoFrom(
      sql<boolean>`EXISTS (SELECT FROM passwords WHERE account_id = ${accountId})
        OR EXISTS (SELECT FROM oidc_identities WHERE account_id = ${accountId})`.as('can'),
    )
    .executeTakeFirstOrThrow();
  return can;
}

/** Whether any account has a password or is linked to a provider. */
export async function canAnyoneSignIn(db: Executor): Promise<boolean> {
  const { can } = await db
    .selectNoFrom(sql<boolean>`EXISTS (SELECT FROM passwords) OR EXISTS (SELECT FROM oidc_identities)`.as('can'))
    .executeTakeFirstOrThrow();
  return can;
}
