import { type Expression, type SqlBool, sql, type Transaction } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Database, Executor } from './database.ts';
import { countRows } from './listing.ts';
import type { PartResult, Schema } from './schema.ts';

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

/** Returns the earlier request with a key, or null if none has ended. */
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

/**
 * Runs a request on a connection that holds a lock on its key, so that no other request with this key runs at the same time. If
 * the connection is lost, the server releases the lock, and the request can change nothing anymore.
 * @returns null at once if another request holds the lock: waiting for it here would occupy a connection
 */
export function whileKeyIsLocked<Result>(
  db: Database,
  { accountId, keyHash }: IdempotencyKeyId,
  run: (connection: Database) => Promise<Result>,
): Promise<Result | null> {
  const lock = sql`${ADVISORY_LOCKS.idempotencyKeys}, hashtext(${accountId}::text || ${keyHash.toString('hex')})`;
  return db.connection().execute(async (connection) => {
    const unlock = () => sql`SELECT pg_advisory_unlock(${lock})`.execute(connection);
    const { rows } = await sql<{ locked: boolean }>`SELECT pg_try_advisory_lock(${lock}) AS locked`.execute(connection);
    if (rows[0]?.locked !== true) return null;
    const result = await run(connection).catch(async (error: unknown) => {
      // Fails if the connection is lost; `error` reports that.
      await unlock().catch(() => undefined);
      throw error;
    });
    await unlock();
    return result;
  });
}

/** A part of a request that an earlier, interrupted request with the same key has completed. */
export interface DonePart {
  readonly part: string;
  readonly requestHash: Buffer;
  readonly result: PartResult;
}

/** Returns the parts that interrupted requests with a key have completed. */
export function doneParts(db: Executor, { accountId, keyHash }: IdempotencyKeyId): Promise<DonePart[]> {
  return db
    .selectFrom('idempotent_parts')
    .select(['part', 'request_hash as requestHash', 'result'])
    .where('account_id', '=', accountId)
    .where('key_hash', '=', keyHash)
    .where(sql<SqlBool>`NOT ${isExpired(sql.ref('inserted_at'))}`)
    .execute();
}

/** Stores a completed part of the request that holds the lock on the key, in the same transaction as the part. */
export async function keepPart(
  trx: Transaction<Schema>,
  { accountId, keyHash }: IdempotencyKeyId,
  { part, requestHash, result }: DonePart,
): Promise<void> {
  const row = { request_hash: requestHash, result: JSON.stringify(result), inserted_at: sql<Date>`now()` };
  await trx
    .insertInto('idempotent_parts')
    .values({ account_id: accountId, key_hash: keyHash, part, ...row })
    // Only an expired part can conflict.
    .onConflict((conflict) => conflict.columns(['account_id', 'key_hash', 'part']).doUpdateSet(row))
    .execute();
}

/** Forgets the parts of a request that has ended. */
export async function forgetParts(db: Executor, { accountId, keyHash }: IdempotencyKeyId): Promise<void> {
  await db.deleteFrom('idempotent_parts').where('account_id', '=', accountId).where('key_hash', '=', keyHash).execute();
}

/** Removes expired keys with their responses and parts. */
export async function deleteExpiredIdempotencyKeys(db: Database): Promise<void> {
  for (const table of ['idempotency_keys', 'idempotent_parts'] as const) {
    await db
      .deleteFrom(table)
      .where(isExpired(sql.ref('inserted_at')))
      .execute();
  }
}

function isExpired(insertedAt: Expression<unknown>) {
  return sql<SqlBool>`${insertedAt} < now() - make_interval(hours => ${sql.lit(KEPT_HOURS)})`;
}
