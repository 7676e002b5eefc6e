import { type Expression, type SqlBool, sql, type Transaction } from 'kysely';
import type { Database, Executor } from './database.ts';
import { countRows } from './listing.ts';
import type { Schema } from './schema.ts';

export interface IdempotencyKeyId {
  readonly accountId: string;
  readonly keyHash: Buffer;
}

export interface EarlierRequest {
  readonly requestHash: Buffer;
  /** As `keepResponse` stored it. */
  readonly response: Buffer;
}

/** How long repeated requests get the first response. */
export const KEPT_HOURS = 24;

/**
 * Locks a key for a request until the transaction ends. Waits if another transaction holds it.
 * @returns the earlier request with this key, or null if there is none
 */
export async function takeIdempotencyKey(
  trx: Transaction<Schema>,
  { accountId, keyHash }: IdempotencyKeyId,
  requestHash: Buffer,
): Promise<EarlierRequest | null> {
  for (;;) {
    const taken = await trx
      .insertInto('idempotency_keys')
      .values({ account_id: accountId, key_hash: keyHash, request_hash: requestHash, response: null })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'key_hash'])
          .doUpdateSet({ request_hash: requestHash, response: null, inserted_at: sql`now()` })
          .where(isExpired(sql.ref('idempotency_keys.inserted_at'))),
      )
      .returning('key_hash')
      .executeTakeFirst();
    if (taken !== undefined) return null;
    const earlier = await trx
      .selectFrom('idempotency_keys')
      .select(['request_hash', 'response'])
      .where('account_id', '=', accountId)
      .where('key_hash', '=', keyHash)
      .executeTakeFirst();
    if (earlier?.response != null) return { requestHash: earlier.request_hash, response: earlier.response };
  }
}

/** Returns the earlier request with a key, or null if there is none that has ended. */
export async function findEarlierRequest(
  db: Executor,
  { accountId, keyHash }: IdempotencyKeyId,
): Promise<EarlierRequest | null> {
  const earlier = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'response'])
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .where(sql<SqlBool>`NOT ${isExpired(sql.ref('inserted_at'))}`)
    .executeTakeFirst();
  return earlier?.response == null ? null : { requestHash: earlier.request_hash, response: earlier.response };
}

/** Counts the keys that an account has used and that have not expired. */
export async function countIdempotencyKeys(db: Executor, accountId: string): Promise<number> {
  const used = db.selectFrom('idempotency_keys').where('account_id', '=', accountId);
  return countRows(used.where(sql<SqlBool>`NOT ${isExpired(sql.ref('inserted_at'))}`));
}

/** Stores the response to the request that holds the key. */
export async function keepResponse(
  trx: Transaction<Schema>,
  { accountId, keyHash }: IdempotencyKeyId,
  response: Buffer,
): Promise<void> {
  await trx
    .updateTable('idempotency_keys')
    .set({ response })
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .execute();
}

/** Removes expired keys and their responses. */
export async function deleteExpiredIdempotencyKeys(db: Database): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where(isExpired(sql.ref('inserted_at')))
    .execute();
}

function isExpired(insertedAt: Expression<unknown>) {
  return sql<SqlBool>`${insertedAt} < now() - make_interval(hours => ${sql.lit(KEPT_HOURS)})`;
}
