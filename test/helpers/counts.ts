import assert from 'node:assert/strict';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';
import { installationRecounts } from '../../src/store/recount/installation-rules.ts';
import { wrongInReport } from '../../src/store/recount/recount.ts';

const REPORT = sql.raw('$1');

/**
 * Recounts every stored number of the report and of the installation in one snapshot of the database, as `doctor --deep` does.
 * Tests may have rows without owners, and checks that never run.
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
  return sql`SELECT what, kept, found FROM (${wrongInReport(REPORT)}) wrong WHERE area = 'sums'
    UNION ALL SELECT what, kept, found FROM (${sql.join(totals, sql` UNION ALL `)}) counted
    WHERE kept IS DISTINCT FROM found`;
}
