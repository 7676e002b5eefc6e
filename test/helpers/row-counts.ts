import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/** Ledger entries outlive reports, records of deletions do so for a day, and host claims live as long as processes. */
const OUTLIVES_REPORTS = ['credit_entries', 'report_absences', 'host_claims'];

/** The number of rows of every table, including tables added later. */
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
