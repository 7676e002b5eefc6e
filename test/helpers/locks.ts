import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';
import { until } from './until.ts';

/** Waits until this many statements in the database wait for locks of others. */
export function waitingForLocks(db: Database, count: number): Promise<void> {
  return until(async () => {
    const { rows } = await sql`
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
    return rows.length >= count;
  });
}
