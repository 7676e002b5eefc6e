import { type RawBuilder, sql } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';

/** The second halves of locks that the connections of living workers hold in this database. */
export function heldLocks(of: 'worker' | 'key'): RawBuilder<unknown> {
  return sql`
    SELECT objid::bigint::bit(32)::integer FROM pg_locks
    WHERE locktype = 'advisory' AND classid = ${sql.lit(ADVISORY_LOCKS[of])} AND objsubid = 2 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
}
