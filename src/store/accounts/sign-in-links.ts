import { sql } from 'kysely';
import type { Executor } from '../database.ts';

export const LINK_MINUTES = 60;

export interface SignInLink {
  readonly accountId: string;
  /** Whether it is for the first start, and also sets the name and the email address. */
  readonly forOwner: boolean;
}

/** Returns when a link inserted now expires: in an hour, in whole milliseconds. */
export async function nextExpiry(db: Executor): Promise<Date> {
  const { expiresAt } = await db
    .selectNoFrom(
      sql<Date>`date_trunc('milliseconds', now() + make_interval(mins => ${sql.lit(LINK_MINUTES)}))`.as('expiresAt'),
    )
    .executeTakeFirstOrThrow();
  return expiresAt;
}

export async function insertSignInLink(
  db: Executor,
  { hash, accountId, forOwner, expiresAt }: SignInLink & { readonly hash: Buffer; readonly expiresAt: Date },
): Promise<void> {
  await db
    .insertInto('sign_in_links')
    .values({ hash, account_id: accountId, for_owner: forOwner, expires_at: expiresAt })
    .execute();
}

/** Returns the link of the first start that expires last, with the whole minutes until it expires. */
export async function findOwnerLink(
  db: Executor,
  accountId: string,
): Promise<{ hash: Buffer; expiresAt: Date; minutes: number } | undefined> {
  return db
    .selectFrom('sign_in_links')
    .select(['hash', 'expires_at as expiresAt'])
    .select(sql<number>`floor(extract(epoch FROM expires_at - now()) / 60)::integer`.as('minutes'))
    .where('account_id', '=', accountId)
    .where('for_owner', '=', true)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns a link that has not expired, with its account. */
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

/** Deletes a link that has not expired and returns it. Only one of several concurrent callers gets it. */
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
