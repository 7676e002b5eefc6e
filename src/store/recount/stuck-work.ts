import { type RawBuilder, sql } from 'kysely';
import { ADVISORY_LOCKS } from '../../platform/advisory-locks.ts';
import { isInUse } from '../accounts/account-states.ts';
import type { Executor } from '../database.ts';
import { pausedSince } from '../pause.ts';
import { nextRunTime } from '../schedules/next-run-time.ts';
import { mayRun } from '../schedules/schedules.ts';

/** Work that waits although it should have been done. */
interface Stuck {
  readonly what: string;
  readonly report_id: string | null;
}

/** Work that has waited this long should have been taken by a process: several times longer than any lease or delay. */
const LATE = sql`interval '10 minutes'`;
/** The purge of a large report takes minutes. */
const PURGE_LATE = sql`interval '1 hour'`;

/**
 * Returns the rows whose work is stuck: claims of dead processes that were not released, and times that are long past. Returns
 * none while the installation is paused or no process is running.
 * @param living selects the ids of living workers
 */
export async function readStuckWork(
  db: Executor,
  living: RawBuilder<unknown>,
  scheduleTimeMs: number,
): Promise<ReadonlyMap<string, Stuck>> {
  const isAnyLiving = (await sql`SELECT FROM (${living}) AS workers LIMIT 1`.execute(db)).rows.length > 0;
  if (!isAnyLiving || (await pausedSince(db)) !== null) return new Map();
  const selects = [...claims(living), ...lateWork(scheduleTimeMs)];
  const found = new Map<string, Stuck>();
  for (const select of selects) {
    const { rows } = await sql<Stuck & { mark: string }>`
      SELECT what, report_id, mark FROM (${select}) s (what, report_id, mark) ORDER BY what`.execute(db);
    for (const { mark, ...row } of rows) found.set(`${row.what} ${mark}`, row);
  }
  return found;
}

/** Claims of dead workers, which the sweeper releases every few seconds. */
function claims(living: RawBuilder<unknown>): readonly RawBuilder<unknown>[] {
  const isSwept = sql`EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
    AND (classid::bigint << 32 | objid::bigint) = ${sql.lit(ADVISORY_LOCKS.sweeper)})`;
  return [
    sql`SELECT 'check of page ' || web_page_id || ' ' || kind || ' is claimed by a dead process', report_id, claim_id::text FROM checks
      WHERE claimed_by IS NOT NULL AND claimed_by NOT IN (${living}) AND ${isSwept}`,
    sql`SELECT 'the crawl is claimed by a dead process', id, crawl_claim_id::text FROM reports
      WHERE crawled_by IS NOT NULL AND crawled_by NOT IN (${living}) AND deleted_at IS NULL AND ${isSwept}`,
  ];
}

function lateWork(scheduleTimeMs: number): readonly RawBuilder<unknown>[] {
  const late = (time: RawBuilder<unknown>) => sql`${time} < now() - ${LATE}`;
  return [
    sql`SELECT 'the insights are claimed, and late', id, insights_claimed_until::text FROM reports
      WHERE insights_pending AND deleted_at IS NULL AND ${late(sql.ref('insights_claimed_until'))}`,
    sql`SELECT 'its deletion is late', id, '' FROM reports WHERE deleted_at < now() - ${PURGE_LATE}`,
    sql`SELECT 'schedule ' || id || ' is late', NULL::uuid, next_run_at::text FROM schedules
      WHERE next_run_at IS NOT NULL AND ${late(nextRunTime(scheduleTimeMs))} AND ${mayRun}`,
    sql`SELECT 'delivery ' || d.id || ' is late', NULL::uuid, d.next_attempt_at::text FROM notification_deliveries d
      JOIN notification_channels c ON c.id = d.channel_id
      WHERE c.active AND c.confirmed_at IS NOT NULL AND c.kind <> 'email' AND ${late(sql.ref('d.next_attempt_at'))}
        AND ${isInUse(sql.ref('c.account_id'))}`,
    sql`SELECT 'digest of channel ' || id || ' is late', NULL::uuid, next_digest_at::text FROM notification_channels
      WHERE active AND ${late(sql.ref('next_digest_at'))} AND ${isInUse(sql.ref('notification_channels.account_id'))}`,
    sql`SELECT 'muting ' || id || ' is not applied', NULL::uuid, walked_at::text FROM mutings WHERE walk_pending AND ${late(sql.ref('walked_at'))}`,
    sql`SELECT 'decision ' || id || ' is not applied', NULL::uuid, walked_at::text FROM decisions WHERE walk_pending AND ${late(sql.ref('walked_at'))}`,
  ];
}
