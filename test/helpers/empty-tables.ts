import { sql } from 'kysely';
import { codeOf } from '../../src/platform/errors.ts';
import type { Database } from '../../src/store/database.ts';
import { until } from './until.ts';

/** Empties tables and the tables that refer to them, while a service may be working on the last report. */
export function emptyTables(db: Database, ...tables: readonly string[]): Promise<void> {
  return until(async () => {
    try {
      await sql`TRUNCATE ${sql.join(tables.map((table) => sql.table(table)))} CASCADE`.execute(db);
      return true;
    } catch (error) {
      // A deadlock: the service locks the tables in another order.
      if (codeOf(error) === '40P01') return false;
      throw error;
    }
  });
}
