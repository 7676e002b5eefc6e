import { sql } from 'kysely';
import type { Executor } from '../../src/store/database.ts';

/** What a schema consists of, as sorted lines. The positions of columns are left out: they differ where a column was dropped. */
const CATALOG = sql<{ line: string }>`
  WITH ours AS (
    SELECT oid, relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
  SELECT concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
    a.attgenerated, a.attcollation::regcollation, a.attstorage, a.attcompression, pg_get_expr(d.adbin, d.adrelid)) AS line
  FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  UNION ALL
  SELECT concat_ws(' ', 'relation', relname, relkind, relpersistence, reloptions::text) FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace
  UNION ALL
  SELECT concat_ws(' ', 'constraint', c.relname, k.conname, pg_get_constraintdef(k.oid)) FROM ours c JOIN pg_constraint k ON k.conrelid = c.oid
  UNION ALL
  SELECT concat_ws(' ', 'index', indexdef) FROM pg_indexes WHERE schemaname = current_schema()
  UNION ALL
  SELECT concat_ws(' ', 'trigger', pg_get_triggerdef(t.oid)) FROM ours c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
  UNION ALL
  SELECT concat_ws(' ', 'function', pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
  UNION ALL
  SELECT concat_ws(' ', 'sequence', sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size)
  FROM pg_sequences WHERE schemaname = current_schema()
  UNION ALL
  SELECT concat_ws(' ', 'statistics', pg_get_statisticsobjdef(oid)) FROM pg_statistic_ext
  UNION ALL
  SELECT concat_ws(' ', 'extension', extname) FROM pg_extension
  ORDER BY line`;

export async function catalogOf(db: Executor): Promise<readonly string[]> {
  const { rows } = await CATALOG.execute(db);
  return rows.map(({ line }) => line);
}
