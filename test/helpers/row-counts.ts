import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/** The ledger outlives what credits were spent on, and hosts are shared while processes live. */
const OUTLIVES_REPORTS = ['credit_entries', 'host_claims'];

/** The number of rows of every table that there is, so that whoever adds a table has it looked at, too. */
export async function rowCounts(db: Database): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`.execute(db);
  const counts: Record<string, number> = {};
  for (const { name } of tables.filter((table) => !OUTLIVES_REPORTS.includes(table.name))) {
    const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(name)}`.execute(db);
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
}
