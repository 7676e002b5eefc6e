import type { Executor } from '../database.ts';

/** A person's identity at a provider. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Returns the id of the account of a person; undefined if there is none. */
export async function findAccountOfIdentity(db: Executor, identity: OidcIdentity): Promise<string | undefined> {
  const row = await db
    .selectFrom('oidc_identities')
    .select('account_id')
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst();
  return row?.account_id;
}

/** Whether an account is linked to a provider. */
export async function hasIdentity(db: Executor, accountId: string): Promise<boolean> {
  const row = await db
    .selectFrom('oidc_identities')
    .select('subject')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns false, with nothing changed, if the person is linked to another account, or the account to another person at the
 * provider.
 */
export async function insertIdentity(db: Executor, accountId: string, identity: OidcIdentity): Promise<boolean> {
  const { issuer, subject } = identity;
  const { numInsertedOrUpdatedRows: inserted = 0n } = await db
    .insertInto('oidc_identities')
    .values({ issuer, subject, account_id: accountId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted > 0n;
}

/**
 * Deletes the identities of an account at providers, so that it signs in with its password only. Returns false if it had none.
 */
export async function deleteIdentities(db: Executor, accountId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('oidc_identities')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
