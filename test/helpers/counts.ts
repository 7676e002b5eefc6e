import assert from 'node:assert/strict';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';
import { INSTALLATION_RULES, installationRecounts } from '../../src/store/recount/installation-rules.ts';
import { wrongInReport } from '../../src/store/recount/recount.ts';

const REPORT = sql.raw('$1');

/**
 * Recounts every stored number of the report and of the installation in one snapshot of the database, and finds what contradicts
 * it or has no owner, as `doctor --deep` does.
 */
export async function assertCountsAddUp(db: Database, reportId: string): Promise<void> {
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const prepared = await sql`SELECT FROM pg_prepared_statements WHERE name = 'wrong_counts'`.execute(trx);
      if (prepared.rows.length === 0) await sql`PREPARE wrong_counts (uuid) AS ${wrongCounts()}`.execute(trx);
      await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(trx);
      const wrong = await sql`EXECUTE wrong_counts (${sql.lit(reportId)})`.execute(trx);
      assert.deepEqual(wrong.rows, []);
    });
}

/** Planning this takes many times longer than running it, so each connection plans it once. */
function wrongCounts(): RawBuilder<unknown> {
  const totals = installationRecounts().map(({ select }) => sql`SELECT what, kept, found FROM (${select}) counted`);
  const rules = INSTALLATION_RULES.map(
    ({ area, select }) =>
      sql`SELECT ${sql.lit(area)}, what, NULL::bigint[], NULL::bigint[] FROM (${select}) broken (what, report_id)`,
  );
  return sql`${wrongInReport(REPORT)}
    UNION ALL SELECT 'sums', what, kept, found FROM (${sql.join(totals, sql` UNION ALL `)}) counted
    WHERE kept IS DISTINCT FROM found
    UNION ALL ${sql.join(rules, sql` UNION ALL `)}`;
}
