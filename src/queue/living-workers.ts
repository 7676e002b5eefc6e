import { sql } from 'kysely';
import { ADVISORY_LOCKS } from '../platform/advisory-locks.ts';
import type { Executor } from '../store/database.ts';

/** Selects the ids of the living workers in this database: the second keys of their advisory locks. */
export const living = sql`
  SELECT objid::bigint::bit(32)::integer FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${sql.lit(ADVISORY_LOCKS.worker)} AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Returns the ids of the living workers: each holds its lock as long as its process runs. */
export async function livingWorkers(db: Executor): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM (${living}) AS workers (id) ORDER BY id`.execute(db);
  return rows.map(({ id }) => id);
}
