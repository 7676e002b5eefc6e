import { sql } from 'kysely';
import type { Executor } from './database.ts';

const LINK_MINUTES = 60;

export interface SignInLink {
  readonly accountId: string;
  /** Whether it is for the first run, and also sets name and e-mail address. */
  readonly forOwner: boolean;
}

/** Inserts a link, which is valid for an hour. */
export async function insertSignInLink(db: Executor, hash: Buffer, link: SignInLink): Promise<void> {
  await db
    .insertInto('sign_in_links')
    .values({
      hash,
      account_id: link.accountId,
      for_owner: link.forOwner,
      expires_at: sql<Date>`now() + make_interval(mins => ${sql.lit(LINK_MINUTES)})`,
    })
    .execute();
}

/** Returns a link that has not expired, with the account as it is. */
export async function findSignInLink(
  db: Executor,
  hash: Buffer,
): Promise<(SignInLink & { name: string; email: string }) | undefined> {
  return db
    .selectFrom('sign_in_links')
    .innerJoin('accounts', 'accounts.id', 'sign_in_links.account_id')
    .select(['accounts.id as accountId', 'for_owner as forOwner', 'name', 'email'])
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** Deletes a link that has not expired and returns it: of concurrent callers, one gets it. */
export async function takeSignInLink(db: Executor, hash: Buffer): Promise<SignInLink | undefined> {
  return db
    .deleteFrom('sign_in_links')
    .where('hash', '=', hash)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning(['account_id as accountId', 'for_owner as forOwner'])
    .executeTakeFirst();
}

export async function deleteSignInLinks(db: Executor, accountId: string): Promise<void> {
  await db.deleteFrom('sign_in_links').where('account_id', '=', accountId).execute();
}

export async function deleteExpiredSignInLinks(db: Executor): Promise<void> {
  await db.deleteFrom('sign_in_links').where('expires_at', '<=', sql<Date>`now()`).execute();
}
