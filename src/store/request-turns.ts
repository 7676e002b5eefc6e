import { type RawBuilder, sql } from 'kysely';
import type { Executor } from './database.ts';

/**
 * Milliseconds' worth of requests that the turns of a second spread over: the tenth more makes up for requests that reach
 * the server somewhat later than they were due.
 */
const SPREAD_MS = 1_100;

/**
 * Reserves the report's next turn to request a document, at its rate, whichever process asks.
 * @param withinMs how far the turn may be away. Absent: as far as it is
 * @returns milliseconds from now until the turn; null when it is farther away, and when the report is gone
 */
export async function reserveRequest(db: Executor, reportId: string, withinMs?: number): Promise<number | null> {
  const isNear = withinMs === undefined ? sql`` : sql`AND coalesce(next_request_at <= ${fromNow(withinMs)}, true)`;
  const { rows } = await sql<{ waitMs: number }>`
    UPDATE reports SET next_request_at = greatest(next_request_at, clock_timestamp())
      + make_interval(secs => ${SPREAD_MS / 1_000}::float8 / rate_limit)
    WHERE id = ${reportId} ${isNear}
    RETURNING (extract(epoch FROM next_request_at - clock_timestamp()) * 1000 - ${SPREAD_MS}::float8 / rate_limit)::float8
      AS "waitMs"`.execute(db);
  const [reserved] = rows;
  return reserved === undefined ? null : Math.max(0, reserved.waitMs);
}

/** Lets no turn of the report begin within the next milliseconds, whichever process asks. Turns reserved before are void. */
export async function deferRequests(db: Executor, reportId: string, ms: number): Promise<void> {
  await sql`
    UPDATE reports SET next_request_at = greatest(next_request_at, ${fromNow(ms)}),
      rests_until = greatest(rests_until, ${fromNow(ms)})
    WHERE id = ${reportId}`.execute(db);
}

/** Whether the report's site is to be left alone now. */
export async function isResting(db: Executor, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM reports WHERE id = ${reportId} AND rests_until > clock_timestamp()`.execute(db);
  return rows.length > 0;
}

/** The ids of unfinished reports on devices; with `ms`, of those whose next turn is farther away. */
export function reportsOnDevices(ms?: number): RawBuilder<unknown> {
  const farther = ms === undefined ? sql`` : sql`AND next_request_at > ${fromNow(ms)}`;
  return sql`
    SELECT id FROM reports WHERE device_id IS NOT NULL AND status IN ('pending', 'crawling', 'checking') ${farther}`;
}

function fromNow(ms: number): RawBuilder<Date> {
  return sql`clock_timestamp() + make_interval(secs => ${ms / 1_000}::float8)`;
}
