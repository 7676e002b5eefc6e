import { type RawBuilder, sql } from 'kysely';

/** First halves of the advisory locks that the connections of living workers hold. */
export const LOCK_CLASSES = {
  /** The second half is the worker's id. */
  worker: 7_305_202,
  /** Shared by all workers that have a key; the second half comes from its head. */
  key: 7_305_203,
} as const;

/** The second halves that are held in this database. */
export function heldLocks(of: keyof typeof LOCK_CLASSES): RawBuilder<unknown> {
  return sql`
    SELECT objid::bigint::bit(32)::integer FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${sql.lit(LOCK_CLASSES[of])} AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
}
