import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** Removes rows of a table that match a condition, at most `max`. Returns how many. */
export async function removeRows(
  trx: Transaction<Schema>,
  table: keyof Schema,
  condition: RawBuilder<SqlBool>,
  max: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM ${sql.table(table)} WHERE ${condition} LIMIT ${max}))`.execute(trx);
  return Number(numAffectedRows);
}
