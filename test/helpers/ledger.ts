import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/**
 * Verifies in one snapshot of the database that every account's entries add up to its balance, and that
 * no guest has used more than it may.
 */
export async function assertLedgerAddsUp(db: Database): Promise<void> {
  const wrong = await sql<{ what: string; kept: number; found: number }>`
    WITH sums AS (
      SELECT a.id, coalesce(a.credits, 0) AS kept, coalesce(sum(e.amount), 0)::bigint AS found
      FROM accounts a LEFT JOIN credit_entries e ON e.account_id = a.id GROUP BY a.id
    ), running AS (
      SELECT e.id, coalesce(e.balance, 0) AS kept,
        (sum(e.amount) OVER (PARTITION BY e.account_id ORDER BY e.id))::bigint AS found
      FROM credit_entries e
    )
    SELECT 'account ' || id AS what, kept, found FROM sums WHERE kept <> found
    UNION ALL SELECT 'entry ' || id, kept, found FROM running WHERE kept <> found
    UNION ALL SELECT 'guest ' || id, max_usage, usage FROM guest_accounts WHERE usage > max_usage`.execute(db);
  assert.deepEqual(wrong.rows, []);
}
