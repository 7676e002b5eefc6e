import { sql, type Transaction } from 'kysely';
import type { Executor } from './database.ts';
import { planOf } from './guest-accounts.ts';
import { type ListPage, listPage, type PageRequest } from './listing.ts';
import type { ApiToken, Plan, Schema, TokenScope } from './schema.ts';

/** The holder of a token, as far as a request needs to know. */
export interface TokenHolder {
  readonly tokenId: number;
  readonly scope: TokenScope;
  readonly accountId: string;
  /** The plan that counts for what the account does: its host's where it is a guest, else its own. */
  readonly plan: Plan;
  readonly ownPlan: Plan;
  /** When it ends; null is never. */
  readonly expiresAt: Date | null;
  /** False once the token was revoked or has expired, by the database's clock. */
  readonly valid: boolean;
  /** True when the last use was noted longer ago than uses are counted. */
  readonly lastUseStale: boolean;
}

export interface NewApiToken {
  readonly accountId: string;
  readonly name: string;
  readonly scope: TokenScope;
  readonly hash: Buffer;
  readonly expiresAt: Date | null;
}

/** A token as lists show it: its secret is known to its holder alone. */
export type TokenInfo = Omit<ApiToken, 'hash' | 'from_setting'>;
const SHOWN = [
  'id',
  'account_id',
  'name',
  'scope',
  'expires_at',
  'revoked_at',
  'last_used_at',
  'inserted_at',
] as const satisfies readonly (keyof TokenInfo)[];

/** How exact `last_used_at` is. */
const LAST_USE_SECONDS = 60;

/** How long a token that was revoked or has expired stays listed: long enough to see what became of it. */
const ENDED_KEPT_DAYS = 7;

const isValid = sql<boolean>`t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`;
const isStale = sql<boolean>`(t.last_used_at IS NULL OR t.last_used_at < now() - make_interval(secs => ${sql.lit(LAST_USE_SECONDS)}))`;

export async function findTokenHolder(db: Executor, hash: Buffer): Promise<TokenHolder | undefined> {
  return db
    .selectFrom('api_tokens as t')
    .innerJoin('accounts as a', 'a.id', 't.account_id')
    .select(['t.id as tokenId', 't.scope', 't.expires_at as expiresAt', 'a.id as accountId', 'a.plan as ownPlan'])
    .select(isStale.as('lastUseStale'))
    .select(planOf(sql.ref('a.id')).as('plan'))
    .select(isValid.as('valid'))
    .where('t.hash', '=', hash)
    .executeTakeFirst();
}

/** Notes that the token was used now, unless another request has just done so. */
export async function touchToken(db: Executor, tokenId: number): Promise<void> {
  await db
    .updateTable('api_tokens as t')
    .set({ last_used_at: sql`now()` })
    .where('t.id', '=', tokenId)
    .where(isStale)
    .execute();
}

export async function insertToken(db: Executor, token: NewApiToken): Promise<number> {
  const { id } = await db.insertInto('api_tokens').values(rowOf(token)).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** How many tokens of an account are valid: neither revoked nor expired. */
export async function countValidTokens(db: Executor, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('api_tokens as t')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('t.account_id', '=', accountId)
    .where(isValid)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Inserts the token of the operator's setting, or makes the account's token with the same hash what is given here,
 * unrevoked. Revokes what the setting named before.
 * @returns false, with nothing changed, when the token is another account's
 */
export async function putTokenOfSetting(trx: Transaction<Schema>, token: NewApiToken): Promise<boolean> {
  const row = { ...rowOf(token), from_setting: true };
  const put = await trx
    .insertInto('api_tokens')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('hash')
        .doUpdateSet({ ...row, revoked_at: null })
        .where('api_tokens.account_id', '=', token.accountId),
    )
    .returning('id')
    .executeTakeFirst();
  if (put === undefined) return false;
  await trx
    .updateTable('api_tokens')
    .set({ revoked_at: sql`coalesce(revoked_at, now())`, from_setting: false })
    .where('from_setting', '=', true)
    .where('id', '<>', put.id)
    .execute();
  return true;
}

/** Tokens of one account, or of all, newest first, revoked ones too, with the e-mail addresses of their accounts. */
export async function selectTokens(db: Executor, accountId: string | null): Promise<(TokenInfo & { email: string })[]> {
  return db
    .selectFrom('api_tokens')
    .innerJoin('accounts', 'accounts.id', 'api_tokens.account_id')
    .select(SHOWN.map((column) => `api_tokens.${column}` as const))
    .select('accounts.email')
    .$if(accountId !== null, (query) => query.where('account_id', '=', accountId ?? ''))
    .orderBy('api_tokens.id', 'desc')
    .execute();
}

/** A page of the tokens of an account that are not revoked, newest first. */
export async function listTokens(db: Executor, accountId: string, page: PageRequest): Promise<ListPage<TokenInfo>> {
  const list = db.selectFrom('api_tokens').where('account_id', '=', accountId).where('revoked_at', 'is', null);
  return listPage(list, page, (tokens) => tokens.select(SHOWN).orderBy('id', 'desc'));
}

/** The token with that id, unless it is revoked. */
export async function findToken(db: Executor, id: number): Promise<TokenInfo | undefined> {
  return db
    .selectFrom('api_tokens')
    .select(SHOWN)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Revokes a token; false when there is none with that id. Revoking twice keeps the first time. */
export async function markTokenRevoked(db: Executor, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_tokens')
    .set({ revoked_at: sql`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes tokens that were revoked or have expired some days ago, so that their number stays small. */
export async function deleteEndedTokens(db: Executor): Promise<void> {
  await db
    .deleteFrom('api_tokens')
    .where(sql<boolean>`least(revoked_at, expires_at) < now() - make_interval(days => ${sql.lit(ENDED_KEPT_DAYS)})`)
    .execute();
}

function rowOf(token: NewApiToken) {
  return {
    account_id: token.accountId,
    name: token.name,
    scope: token.scope,
    hash: token.hash,
    expires_at: token.expiresAt,
  };
}
