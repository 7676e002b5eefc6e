import { sql } from 'kysely';
import type { Executor } from '../store/database.ts';
import { forgetLostHosts } from './host-claims.ts';
import { living } from './living-workers.ts';

/**
 * Frees everything claimed by workers that no longer hold their lock. Waits for nobody, which keeps many rows at once from
 * deadlocks: what somebody else is changing is left to the next time.
 */
export async function freeWorkOfDeadWorkers(db: Executor): Promise<void> {
  await sql`
    WITH dead AS (
      SELECT web_page_id, kind FROM checks WHERE claimed_by IS NOT NULL AND claimed_by NOT IN (${living})
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE checks c SET claimed_by = NULL, claim_id = NULL
    FROM dead WHERE c.web_page_id = dead.web_page_id AND c.kind = dead.kind`.execute(db);
  await sql`
    WITH dead AS (
      SELECT id FROM reports WHERE crawled_by IS NOT NULL AND crawled_by NOT IN (${living})
      FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE reports r SET crawled_by = NULL, crawl_claim_id = NULL FROM dead WHERE r.id = dead.id`.execute(db);
  await forgetLostHosts(db);
}
