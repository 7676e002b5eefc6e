import { sql, type Transaction } from 'kysely';
import type { Measure } from '../../../packages/client/standards.ts';
import type { Executor } from '../database.ts';
import { countRows, type ListPage, listPage, type PageRequest } from '../listing.ts';
import type { ApiToken, Plan, Schema, TokenScope } from '../schema.ts';
import { chosenMeasure } from './accounts.ts';
import { planOf } from './guest-accounts.ts';

/** A token and its account, as authentication needs them. */
export interface TokenHolder {
  readonly tokenId: number;
  readonly scope: TokenScope;
  readonly accountId: string;
  /** The plan that applies: the host's if the account is a guest, else its own. */
  readonly plan: Plan;
  readonly ownPlan: Plan;
  /** The standard that the account has chosen; null if it has chosen none. */
  readonly chosenMeasure: Measure | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
  /** False if the token is revoked or has expired, by the database's clock. */
  readonly valid: boolean;
  /** Whether its account is disabled. */
  readonly isDisabled: boolean;
  /** Whether its account is an operator. */
  readonly operator: boolean;
  /** True if `last_used_at` is older than its precision, so that it has to be updated. */
  readonly lastUseStale: boolean;
}

export type NewApiToken = Pick<ApiToken, 'account_id' | 'name' | 'scope' | 'hash' | 'expires_at'>;

/** A token as the API shows it, without its secret. */
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

/** Precision of `last_used_at`. */
const LAST_USE_SECONDS = 60;

/** How long revoked and expired tokens are kept, so that people can see what happened to them. */
const ENDED_KEPT_DAYS = 7;

const isValid = sql<boolean>`t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`;
const isStale = sql<boolean>`(t.last_used_at IS NULL OR t.last_used_at < now() - make_interval(secs => ${sql.lit(LAST_USE_SECONDS)}))`;

export async function findTokenHolder(db: Executor, hash: Buffer): Promise<TokenHolder | undefined> {
  return db
    .selectFrom('api_tokens as t')
    .innerJoin('accounts as a', 'a.id', 't.account_id')
    .select(['t.id as tokenId', 't.scope', 't.expires_at as expiresAt'])
    .select(['a.id as accountId', 'a.plan as ownPlan', 'a.operator'])
    .select(sql<boolean>`a.disabled_at IS NOT NULL`.as('isDisabled'))
    .select(chosenMeasure.as('chosenMeasure'))
    .select(isStale.as('lastUseStale'))
    .select(planOf(sql.ref('a.id')).as('plan'))
    .select(isValid.as('valid'))
    .where('t.hash', '=', hash)
    .executeTakeFirst();
}

/** Records that the token was used now, unless another request has just done so. */
export async function touchToken(db: Executor, tokenId: number): Promise<void> {
  await db
    .updateTable('api_tokens as t')
    .set({ last_used_at: sql`now()` })
    .where('t.id', '=', tokenId)
    .where(isStale)
    .execute();
}

export async function insertToken(db: Executor, token: NewApiToken): Promise<number> {
  const { id } = await db.insertInto('api_tokens').values(token).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Counts the tokens of an account that are neither revoked nor expired. */
export async function countValidTokens(db: Executor, accountId: string): Promise<number> {
  return countRows(db.selectFrom('api_tokens as t').where('t.account_id', '=', accountId).where(isValid));
}

/**
 * Inserts the token from the operator's setting, or updates and reinstates the account's token with the same hash. Revokes
 * the token that the setting held before.
 * @returns false, with nothing changed, if another account has created the token
 */
export async function putTokenOfSetting(trx: Transaction<Schema>, token: NewApiToken): Promise<boolean> {
  const row = { ...token, from_setting: true };
  const put = await trx
    .insertInto('api_tokens')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('hash')
        .doUpdateSet({ ...row, revoked_at: null })
        .where(({ or, eb }) =>
          or([eb('api_tokens.account_id', '=', token.account_id), eb('api_tokens.from_setting', '=', true)]),
        ),
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

/**
 * Returns the tokens of one account, or of all accounts if null, newest first, including revoked tokens, with their accounts'
 * email addresses.
 */
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

/** Returns a page of an account's tokens, newest first, without revoked tokens. */
export async function listTokens(db: Executor, accountId: string, page: PageRequest): Promise<ListPage<TokenInfo>> {
  const list = db.selectFrom('api_tokens').where('account_id', '=', accountId).where('revoked_at', 'is', null);
  return listPage(list, page, (tokens) => tokens.select(SHOWN).orderBy('id', 'desc'));
}

/** Returns the token unless it is revoked. */
export async function findToken(db: Executor, id: number): Promise<TokenInfo | undefined> {
  return db
    .selectFrom('api_tokens')
    .select(SHOWN)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Revokes a token; an earlier revocation keeps its time. Returns false if there is no such token. */
export async function markTokenRevoked(db: Executor, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_tokens')
    .set({ revoked_at: sql`coalesce(revoked_at, now())` })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Revokes the valid tokens of an account, except the token of the operator's setting. Returns their number. */
export async function markTokensRevoked(db: Executor, accountId: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('api_tokens as t')
    .set({ revoked_at: sql`now()` })
    .where('t.account_id', '=', accountId)
    .where('t.from_setting', '=', false)
    .where(isValid)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes tokens that were revoked or expired more than a week ago. */
export async function deleteEndedTokens(db: Executor): Promise<void> {
  await db
    .deleteFrom('api_tokens')
    .where(sql<boolean>`least(revoked_at, expires_at) < now() - make_interval(days => ${sql.lit(ENDED_KEPT_DAYS)})`)
    .execute();
}
